drop table troupe.api_keys;
drop type troupe.key_scope;
drop table troupe.tenant_keys;
drop table troupe.tenants;
