-- Whether changes of the team's services in production need the approval of a second person.
alter table team add column needs_production_approval boolean not null default false;
