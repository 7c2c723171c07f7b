/** A database with one object of every kind that a team can create. */
import type pg from 'pg';

export const ROWS = 10_000;

const schema = `
  create schema "Odd Names";
  create extension if not exists citext with schema public;
  create type public.berth_state as enum ('free', 'taken', 'out of "order"');
  create type public.position as (lat double precision, lon double precision, label text collate "C");
  create domain public.percent as numeric(5, 2) default 0.5 check (value between 0 and 100);
  create function public.is_even(n bigint) returns boolean language plpgsql immutable as $$ begin return n % 2 = 0; end $$;
  create domain public.even as bigint not null constraint must_be_even check (public.is_even(value));
  create sequence public.tickets start 100 increment 10 cache 1;
  create table public.harbours (
    id integer generated always as identity (start with 1000 increment 5) primary key,
    name public.citext not null unique,
    code char(3) collate "C",
    opened date default current_date,
    constraint code_upper check (code = upper(code)));
  create table "Odd Names"."Berths; drop" (
    "Id" bigserial primary key,
    harbour integer not null references public.harbours (id) on delete cascade deferrable initially deferred,
    "state" public.berth_state not null default 'free',
    tags text[] not null default '{}',
    grid integer[][],
    facts jsonb,
    raw bytea,
    seen timestamptz(3),
    local timestamp,
    length interval,
    share public.percent,
    twice public.even,
    place public.position,
    net cidr,
    uid uuid default gen_random_uuid(),
    amount numeric,
    ratio double precision,
    during tstzrange,
    ticket bigint default nextval('public.tickets'),
    label text generated always as ('berth ' || "Id"::text) stored,
    dropped text);
  alter table "Odd Names"."Berths; drop" drop column dropped;
  create index open_berths on "Odd Names"."Berths; drop" (harbour, seen desc nulls last) include ("Id") where state = 'free';
  create index on "Odd Names"."Berths; drop" using gin (facts jsonb_path_ops);
  create unique index on "Odd Names"."Berths; drop" (lower(label));
  create statistics public.berth_stats (dependencies) on harbour, state from "Odd Names"."Berths; drop";
  create table public.moves (berth bigint, at timestamptz not null, what text, constraint moves_pk primary key (berth, at)) partition by range (at);
  create table public.moves_2025 partition of public.moves for values from ('2025-01-01') to ('2026-01-01');
  create table public.moves_rest partition of public.moves default;
  create index moves_what on public.moves (what);
  alter table public.moves add constraint moves_berth foreign key (berth) references "Odd Names"."Berths; drop" ("Id");
  create unlogged table public.notes (id serial, body text, span tstzrange, exclude using gist (span with &&));
  create table public.nothing ();
  create table public.only_generated (x int generated always as (1) stored);
  create view public.free_berths with (security_invoker = true) as
    select b."Id" as id, h.name, b.label from "Odd Names"."Berths; drop" b join public.harbours h on h.id = b.harbour where b.state = 'free';
  create view public.counted as select name, count(*) as berths from public.free_berths group by name;
  create materialized view public.busiest as select harbour, count(*) as n from "Odd Names"."Berths; drop" group by harbour;
  create unique index on public.busiest (harbour);
  create view public.by_key as select h.id, h.name, h.code, count(b."Id") as n from public.harbours h
    left join "Odd Names"."Berths; drop" b on b.harbour = h.id group by h.id;
  create function public.stamp() returns trigger language plpgsql as $body$ begin new.body := new.body || ' (stamped)'; return new; end $body$;
  create trigger stamp_notes before insert or update on public.notes for each row execute function public.stamp();
  create trigger quiet before insert on public.notes for each row execute function public.stamp();
  alter table public.notes disable trigger quiet;
  create function public.first_harbour() returns public.harbours language sql stable begin atomic select * from public.harbours order by id limit 1; end;
  create procedure public.tidy(inout n integer default 3) language sql as 'select n + 1';
  create rule no_delete as on delete to public.nothing do instead nothing;
  alter table public.harbours enable row level security;
  create policy mine on public.harbours for select using (name <> 'secret') ;
  create policy theirs on public.harbours as restrictive for insert with check (code is not null);
  alter table public.harbours add constraint later check (length(name) < 100) not valid;
  comment on table "Odd Names"."Berths; drop" is 'It''s a \\ comment';
  comment on column public.harbours.code is 'three letters';
  comment on constraint code_upper on public.harbours is 'shouted';
  comment on constraint must_be_even on domain public.even is 'no odd ones';
  comment on function public.is_even(bigint) is 'by two';
  comment on schema "Odd Names" is 'quoted';
  comment on trigger stamp_notes on public.notes is 'stamps'`;

export const fill = async (client: pg.Client): Promise<void> => {
  await client.query(schema);
  await client.query(
    `insert into public.harbours (name, code) select 'Harbour ' || n, 'H' || lpad(n::text, 2, '0') from generate_series(1, 20) n`,
  );
  await client.query(
    `insert into "Odd Names"."Berths; drop" (harbour, state, tags, grid, facts, raw, seen, local, length, share, twice, place, net, amount, ratio, during)
     select 1000 + 5 * (n % 20), (array['free', 'taken', 'out of "order"'])[1 + n % 3]::public.berth_state,
       array['a,b', null, E'line\\nbreak', '\\N', ''], array[[n, 2], [3, null]], jsonb_build_object('n', n, 'odd', E'\\\\ \\t " \\u00e9'),
       sha256(n::text::bytea), timestamptz '2025-06-01 00:00:00.123+02' + n * interval '1 minute', timestamp '1999-12-31 23:59:59.999999',
       make_interval(months => n % 30, secs => n / 7.0), n % 100, n * 2, row(n / 3.0, -n, 'x,"y"')::public.position, '10.0.0.0/8',
       case n % 5 when 0 then 'NaN'::numeric when 1 then 1e40 else n / 7.0 end, case n % 4 when 0 then 'Infinity' when 1 then 'NaN' else n / 3.0 end,
       tstzrange('2025-01-01', '2025-01-02', '(]')
     from generate_series(1, ${ROWS}) n`,
  );
  await client.query(
    `insert into public.moves select n, timestamptz '2024-12-31' + n * interval '1 hour', 'move ' || n from generate_series(1, 2000) n`,
  );
  await client.query(`insert into public.notes (body, span) values ('one', '[2025-01-01, 2025-01-02)'), (null, null)`);
  await client.query('insert into public.only_generated default values');
  await client.query('insert into public.nothing default values');
  await client.query('refresh materialized view public.busiest');
};
