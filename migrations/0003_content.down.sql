drop table troupe.snapshots;
drop table troupe.blob_uses;
drop table troupe.blobs;
drop table troupe.claims;
