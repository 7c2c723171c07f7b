-- Robot accounts of the registry have holders, too: whoever was shown the secret of a robot that pushed an image does not decide to deploy it.
-- `account_id` is then the robot's user name, which is no identity.
alter table service_account_holder drop constraint service_account_holder_account_id_fkey;
insert into service_account_holder (account_id, identity_id)
select distinct 'robot$' || (subject_names ->> 'app') || '+' || (subject_names ->> 'robot'), actor_id from activity
join identity on identity.id = activity.actor_id
where activity.type in ('robotAccountCreate', 'robotAccountRotate') and after ->> 'into' is null and subject_names ? 'app' and subject_names ? 'robot'
on conflict do nothing;

-- What a service account was shown, its own holders may know.
insert into service_account_holder (account_id, identity_id)
select distinct held.account_id, holder.identity_id from service_account_holder held
join service_account_holder holder on holder.account_id = held.identity_id
on conflict do nothing;
