-- A token that was made with a token ends with it: it is good only while everything that it comes from is.
alter table api_token add column parent_id text references api_token (id) on delete cascade;
create index api_token_parent on api_token (parent_id) where parent_id is not null;

-- Sign-in tokens from before this moment are good no more: their owner signed out everywhere.
alter table identity add column signed_out_at timestamptz;

-- Whether a token, and each that it comes from, is neither revoked nor expired.
create function api_token_is_live(token_id text) returns boolean language sql stable as $$
  with recursive line as (
    select id, parent_id, revoked_at, expires_at from api_token where id = token_id
    union
    select parent.id, parent.parent_id, parent.revoked_at, parent.expires_at from api_token parent join line on parent.id = line.parent_id
  )
  select coalesce(bool_and(revoked_at is null and expires_at > now()), false) from line
$$;

-- Ids that the platform gives to identities of its own are nobody else's. An outside provider's subject that has one already gets
-- the id that a second one of the same name would get, keeps its teams, tokens and activity, and is no administrator by it.
do $$
declare
  taken record;
  new_id text;
begin
  for taken in select * from identity where lower(id) in ('platform-automation', 'admin') and subject is not null loop
    new_id := taken.id || '-' || left(encode(sha256(convert_to(taken.subject, 'UTF8')), 'hex'), 12);
    update identity set subject = null, email = null where id = taken.id;
    insert into identity (id, display_name, email, provider, type, subject, photo, photo_type, is_administrator, created_at)
      values (new_id, taken.display_name, taken.email, taken.provider, taken.type, taken.subject, taken.photo, taken.photo_type,
              taken.is_administrator and lower(taken.id) <> 'platform-automation', taken.created_at);
    update team_member set identity_id = new_id where identity_id = taken.id;
    update api_token set identity_id = new_id where identity_id = taken.id and id <> 'tok_admin';
    delete from identity where id = taken.id;
  end loop;
end
$$;
