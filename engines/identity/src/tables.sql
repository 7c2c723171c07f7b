-- The people who sign in. The platform's table of identities has more columns than these.
create table identity (
  id text primary key,
  display_name text not null,
  email text,
  provider text not null default 'AZURE_AD',
  type text not null default 'USER' check (type in ('USER', 'SERVICE_ACCOUNT')),
  -- The subject at another sign-in authority.
  subject text unique,
  -- scrypt, local users only.
  password_hash text,
  is_administrator boolean not null default false,
  -- Since when the person does not sign in any more.
  left_at timestamptz
);
create unique index identity_email on identity (lower(email)) where email is not null;

-- Sessions, sign-ins in progress, grants and tokens. In the database, so that any replica can
-- carry on what another began.
create table oidc_payload (
  model text not null,
  -- sha256 for what a browser or client presents as it is (codes, refresh tokens); session ids stand in signed cookies.
  id text not null,
  payload jsonb not null,
  grant_id text,
  user_code text,
  uid text,
  expires_at timestamptz,
  consumed_at timestamptz,
  primary key (model, id)
);
create index oidc_payload_grant on oidc_payload (grant_id) where grant_id is not null;
create unique index oidc_payload_user_code on oidc_payload (model, user_code) where user_code is not null;
create unique index oidc_payload_uid on oidc_payload (model, uid) where uid is not null;
create index oidc_payload_expires on oidc_payload (expires_at);
create index oidc_payload_account on oidc_payload ((payload ->> 'accountId'));
