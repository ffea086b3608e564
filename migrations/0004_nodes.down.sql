drop table troupe.nodes;
