-- People and service accounts, and the tokens they call the API with.
create table identity (
  id text primary key,
  display_name text not null,
  email text,
  provider text not null default 'AZURE_AD',
  type text not null default 'USER' check (type in ('USER', 'SERVICE_ACCOUNT')),
  -- The subject at the sign-in authority (Entra: tenant and object id), where it is not the id itself.
  subject text unique,
  -- scrypt, local users only.
  password_hash text,
  photo bytea,
  photo_type text,
  is_administrator boolean not null default false,
  created_at timestamptz not null default now()
);
create unique index identity_email on identity (lower(email)) where email is not null;
create index identity_name on identity (lower(display_name) text_pattern_ops);

create table api_token (
  id text primary key,
  identity_id text not null references identity (id) on delete cascade,
  name text not null,
  -- sha256 of the secret: it has 256 bits of its own, so a slow hash adds nothing.
  hash bytea not null unique,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index api_token_identity on api_token (identity_id);

-- Keys that every replica needs (token signing, cookies), wrapped by the keys port.
create table platform_key (
  purpose text primary key,
  kid text not null,
  wrapped bytea not null,
  public jsonb,
  created_at timestamptz not null default now()
);

-- Answers kept for the Idempotency-Key header.
create table idempotency (
  identity_id text not null,
  key text not null,
  route text not null,
  request_hash text not null,
  status integer,
  response jsonb,
  created_at timestamptz not null default now(),
  primary key (identity_id, key)
);
create index idempotency_created on idempotency (created_at);
