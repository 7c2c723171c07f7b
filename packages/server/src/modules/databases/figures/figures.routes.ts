/** Routes for a database's metrics and slow statements. */
import { databaseMetrics, databaseSlowQueries, type DatabaseFigures } from '@slipway/contract/database/figures.ts';
import type { Db } from '#db/database.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import type { Databases } from '#ports/databases.ts';
import { isPortFailure } from '#ports/failure.ts';
import { placeOf, rowAt } from '#modules/resources/index.ts';
import { boundsOf, growthOf, markersOf, pointsOf, spans } from './figures.sql.ts';

const GIGABYTE = 2 ** 30;

const requireDatabase = async (db: Db, names: { app: string; env: string; database: string }) => {
  const found = await db
    .selectFrom('database')
    .select(['id', 'region', 'server_name', 'storage_gb', 'max_connections', 'size_bytes', 'connections', 'observed_at'])
    .where(({ and }) => and(rowAt(placeOf(names), names.database)))
    .executeTakeFirst();
  if (!found) throw new Problem('DatabaseDoesNotExist');
  return found;
};

const nowOf = ({
  observed_at: at,
  size_bytes: sizeBytes,
  connections,
}: Awaited<ReturnType<typeof requireDatabase>>): DatabaseFigures['now'] =>
  at === null || sizeBytes === null
    ? null
    : {
        at: at.toISOString(),
        sizeBytes,
        connections: connections.reduce((sum, { count }) => sum + count, 0),
        connectionsBy: connections.map(({ application, count }) => ({ application, connections: count })),
      };

export const figuresRoutes = (db: Db, databases: Databases): Handler[] => [
  handle(databaseMetrics, async ({ params, query: { range } }) => {
    const found = await requireDatabase(db, params);
    const now = new Date();
    const { from, to } = boundsOf(range, now);
    const { stepSeconds } = spans[range];
    const points = await pointsOf(db, found.id, range, now);
    return {
      range,
      from: from.toISOString(),
      to: to.toISOString(),
      stepSeconds,
      points,
      markers: await markersOf(db, found.id, from, now),
      now: nowOf(found),
      limits: { storageBytes: found.storage_gb * GIGABYTE, maxConnections: found.max_connections },
      growthBytesPerDay: growthOf(points, stepSeconds),
    };
  }),
  handle(databaseSlowQueries, async ({ params }) => {
    const found = await requireDatabase(db, params);
    const counted = await databases.statements({ region: found.region, database: found.server_name }).catch((error: unknown) => {
      if (!isPortFailure(error, 'unavailable')) throw error;
      throw new Problem('EngineUnavailable', { context: { engine: 'database server' }, cause: error });
    });
    if (!counted) return { source: 'NONE' as const, since: null, statements: [] };
    const { since, totalMs, statements } = counted;
    return {
      source: 'STATEMENTS' as const,
      since: since?.toISOString() ?? null,
      statements: statements.map((one) => ({ ...one, p95Ms: null, share: totalMs > 0 ? one.totalMs / totalMs : 0 })),
    };
  }),
];
