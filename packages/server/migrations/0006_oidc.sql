-- The embedded identity provider's sessions, sign-ins in progress, grants and tokens. In the database, so that any replica can
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

-- Tries at passwords and at the demo code, counted over all replicas.
create table sign_in_attempt (
  -- sha256 of what is tried and from where: user names that somebody invents are not kept.
  subject text primary key,
  tries integer not null,
  resets_at timestamptz not null
);
create index sign_in_attempt_resets on sign_in_attempt (resets_at);
