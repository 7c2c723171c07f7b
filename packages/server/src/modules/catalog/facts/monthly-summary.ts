/** Monthly summaries of platforms: live during the month, frozen after it. */
import { sql } from 'kysely';
import type { MonthlySummary } from '@slipway/contract/catalog/summary.ts';
import type { Db } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';

interface Month {
  readonly name: string;
  readonly from: Date;
  readonly to: Date;
}
export const monthOf = (name: string): Month => {
  const [year = 0, month = 1] = name.split('-').map(Number);
  return { name, from: new Date(Date.UTC(year, month - 1, 1)), to: new Date(Date.UTC(year, month, 1)) };
};
export const monthName = (date: Date): string => date.toISOString().slice(0, 7);
const LISTED = 500;

type Counts = Pick<MonthlySummary, 'onboarded' | 'deleted' | 'rejected' | 'movedIn' | 'movedOut' | 'putBack'>;
/** Events of applications on the platform, from an instant to another or without end. */
const eventCounts = async (db: Db, platform: string, from: Date, to: Date | null): Promise<Counts> => {
  const during = sql`event.at >= ${from} and (${to}::timestamptz is null or event.at < ${to})`;
  const arrived = (type: string) => sql`(count(*) filter (where event.type = ${type} and event.platform_id = ${platform}))::integer`;
  const { rows } = await sql<Counts>`select ${arrived('ONBOARDED')} as onboarded, ${arrived('DECOMMISSIONED')} as deleted,
      ${arrived('REJECTED')} as rejected, ${arrived('PUT_BACK')} as "putBack", ${arrived('MOVED')} as "movedIn",
      (count(*) filter (where event.type = 'MOVED' and event.from_platform_id = ${platform}))::integer as "movedOut"
    from catalog_event event where (event.platform_id = ${platform} or event.from_platform_id = ${platform}) and ${during}
      and event.entry_id in (select id from catalog_entry where kind = 'application')`.execute(db);
  return rows[0] ?? { onboarded: 0, deleted: 0, rejected: 0, movedIn: 0, movedOut: 0, putBack: 0 };
};
const growthOf = ({ onboarded, movedIn, putBack, deleted, movedOut }: Counts): number => onboarded + movedIn + putBack - deleted - movedOut;

type Listed = MonthlySummary['applicationsOnboarded'][number];
const listedOf = ({ at, ...row }: Omit<Listed, 'at'> & { at: Date | null }): Listed => ({ ...row, at: at?.toISOString() ?? null });

/** Requests of a kind for applications of the platform. Moves also count for the platform that they lead to. */
const requestsOf = async (db: Db, platform: string, kind: string, { from, to }: Month): Promise<Listed[]> => {
  const { rows } = await sql<Listed & { at: Date }>`
    select entry.id, entry.name, 'REQ-' || request.number as "requestId", request.requested_at as at
    from request join catalog_entry entry on entry.id = request.subject_id
    where request.kind = ${kind} and request.requested_at >= ${from} and request.requested_at < ${to}
      and (case when request.kind = 'CATALOG_PLATFORM_CHANGE'
        then ${platform} in (request.payload ->> 'platformId', request.payload ->> 'fromPlatformId') else entry.platform_id = ${platform} end)
    order by request.number`.execute(db);
  return rows.map(listedOf);
};

/** Works the summary out from events, requests and the current state. */
const workOut = async (db: Db, platform: { id: string; name: string }, month: Month, now: Date): Promise<MonthlySummary> => {
  const counts = await eventCounts(db, platform.id, month.from, month.to);
  // The state at the end of the month is the current one without what happened since.
  const since = now < month.to ? 0 : growthOf(await eventCounts(db, platform.id, month.to, null));
  const ofPlatform = sql`kind = 'application' and status = 'ACTIVE' and platform_id = ${platform.id}`;
  const { rows } = await sql<{ active: number; unverified: number }>`select count(*)::integer as active,
    (count(*) filter (where not is_verified))::integer as unverified from catalog_entry where ${ofPlatform}`.execute(db);
  const active = (rows[0]?.active ?? 0) - since;
  const unverified = Math.min(active, rows[0]?.unverified ?? 0);
  const { rows: onboarded } = await sql<Listed & { at: Date }>`select entry.id, entry.name, event.request as "requestId", event.at
    from catalog_event event join catalog_entry entry on entry.id = event.entry_id
    where event.platform_id = ${platform.id} and event.type = 'ONBOARDED' and event.at >= ${month.from} and event.at < ${month.to}
      and entry.kind = 'application' order by event.at limit ${LISTED}`.execute(db);
  const { rows: unknown } = await sql<Listed & { at: Date | null }>`select id, name, null as "requestId", seen_running_at as at
    from catalog_entry where ${ofPlatform} and not is_verified order by norm, id limit ${LISTED}`.execute(db);
  const changes = await requestsOf(db, platform.id, 'CATALOG_PLATFORM_CHANGE', month);
  const issues = await requestsOf(db, platform.id, 'CATALOG_DATA_ISSUE', month);
  return {
    platformId: platform.id,
    platformName: platform.name,
    summaryMonth: month.name,
    ...counts,
    active,
    verified: active - unverified,
    unverified,
    activeAtStart: active - growthOf(counts),
    changeRequest: changes.length,
    dataIssue: issues.length,
    from: month.from.toISOString(),
    to: month.to.toISOString(),
    generatedAt: now.toISOString(),
    frozen: now >= month.to,
    applicationsOnboarded: onboarded.map(listedOf),
    platformChangeRequests: changes.slice(0, LISTED),
    reportedDataIssues: issues.slice(0, LISTED),
    unverifiedApplications: unknown.map(listedOf),
  };
};

export const monthlySummary = async (db: Db, platformId: string, name: string, now = new Date()): Promise<MonthlySummary> => {
  const platform = await db
    .selectFrom('catalog_entry')
    .select(['id', 'name'])
    .where('kind', '=', 'platform')
    .where('status', '<>', 'REJECTED')
    .where('id', '=', platformId.toUpperCase())
    .executeTakeFirst();
  if (!platform) throw new Problem('EntryDoesNotExist', { field: 'platformId', context: { kind: 'platform' } });
  if (name > monthName(now)) throw new Problem('SummaryInFuture', { field: 'summaryMonth' });
  const frozen = await db
    .selectFrom('catalog_summary')
    .select('content')
    .where('platform_id', '=', platform.id)
    .where('month', '=', name)
    .executeTakeFirst();
  return frozen?.content ?? workOut(db, platform, monthOf(name), now);
};

/** Freezes the past month of every platform. Returns how many. */
export const freezeSummaries = async (db: Db, now = new Date()): Promise<number> => {
  const name = monthName(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1)));
  const { rows } = await sql<{ id: string; name: string }>`select id, name from catalog_entry platform
    where kind = 'platform' and status in ('ACTIVE', 'DECOMMISSIONED') and created_at < ${monthOf(name).to}
      and not exists (select from catalog_summary where platform_id = platform.id and month = ${name}) order by id`.execute(db);
  for (const platform of rows) {
    const content = JSON.stringify(await workOut(db, platform, monthOf(name), now));
    await db
      .insertInto('catalog_summary')
      .values({ platform_id: platform.id, month: name, content })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  return rows.length;
};

/** Platforms of an owner, with the months since their onboarding, newest first. At most two years. */
export const summaryPlatforms = async (db: Db, owner: string, now = new Date()) => {
  const { rows } = await sql<{ id: string; name: string; since: Date }>`select id, name, created_at as since from catalog_entry
    where kind = 'platform' and status in ('ACTIVE', 'DECOMMISSIONED') and owners @> ${[owner]}::text[] order by norm, id`.execute(db);
  const monthsSince = (since: Date): string[] => {
    const months: string[] = [];
    for (
      let at = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
      months.length < 24;
      at.setUTCMonth(at.getUTCMonth() - 1)
    ) {
      if (monthName(at) < monthName(since)) break;
      months.push(monthName(at));
    }
    return months;
  };
  return rows.map(({ id, name, since }) => ({ platformId: id, platformName: name, months: monthsSince(since) }));
};
