drop function troupe.erase_session(integer, text);
drop function troupe.prune_branch(integer, bigint);
