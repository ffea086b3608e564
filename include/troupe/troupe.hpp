// All of Troupe for programs: durable agents with tools of their own.
#pragma once

#include <troupe/agent.hpp>
#include <troupe/config.hpp>
#include <troupe/system.hpp>
#include <troupe/tool.hpp>
#include <troupe/version.hpp>
