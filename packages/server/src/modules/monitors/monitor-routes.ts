/** Routes of monitors beyond the entity's own: keys, forwarding, erasure, source maps, and everything that was collected. */
import {
  monitorErase,
  monitorForward,
  monitorKeyRotate,
  monitorSourceMapDelete,
  monitorSourceMapList,
  monitorSourceMapUpload,
} from '@slipway/contract/monitoring/monitor.ts';
import {
  monitorCallList,
  monitorErrorList,
  monitorErrorUpdate,
  monitorErrorView,
  monitorSessionList,
  monitorSessionView,
  monitorVitalsView,
} from '@slipway/contract/monitoring/readings.ts';
import { sql } from 'kysely';
import { handle, type Caller, type Handler, type Owner } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { listErrors, readError, setErrorState } from './errors.sql.ts';
import { requireMonitor, rotateKey, setForwarding, viewOf, write, type AtMonitor, type MonitorDeps } from './monitor-writes.ts';
import { userHash } from './payload.ts';
import { readCalls, readVitals } from './readings.sql.ts';
import { erasePerson, listSessions, readSession } from './sessions.sql.ts';
import { listMaps, packMap, requireMapName, saveMap } from './source-maps.ts';

interface Request {
  readonly params: { readonly app: string; readonly env: string; readonly monitor: string };
  readonly environment: Environment;
  readonly caller: Caller;
  readonly owner: Owner;
}
const at = ({ params: { app, monitor }, environment: env, caller, owner }: Request): AtMonitor => ({
  caller,
  owner,
  names: { app, env, monitor },
});

const writes = (deps: MonitorDeps): Handler[] => [
  handle(
    monitorKeyRotate,
    async (c) => {
      await rotateKey(deps, at(c), monitorKeyRotate, c.body.endFormerNow);
      return viewOf(deps, at(c));
    },
    (c) => viewOf(deps, at(c)),
  ),
  handle(monitorForward, async (c) => {
    await setForwarding(deps, at(c), c.body);
    return viewOf(deps, at(c));
  }),
  handle(monitorErase, (c) => {
    const writing = { verb: 'erase', route: monitorErase, reason: 'Erased', did: 'deleted the data of a person in' };
    return write(deps, at(c), writing, async (trx, id) => {
      const { salt } = await trx.selectFrom('monitor').select('salt').where('id', '=', id).executeTakeFirstOrThrow();
      return erasePerson(trx, id, userHash(salt, c.body.userId));
    });
  }),
  handle(
    monitorErrorUpdate,
    async (c) => {
      const { errorId } = c.params;
      const { state } = c.body;
      const writing = { verb: 'update', route: monitorErrorUpdate, reason: 'Updated', did: `set an error to ${state.toLowerCase()} in` };
      await write(deps, at(c), writing, (trx, id) => setErrorState(trx, id, errorId, state));
      return readError(deps.db, await requireMonitor(deps.db, at(c).names), errorId);
    },
    async (c) => readError(deps.db, await requireMonitor(deps.db, at(c).names), c.params.errorId),
  ),
];

const sourceMaps = (deps: MonitorDeps): Handler[] => {
  const { db } = deps;
  const uploaded = async (c: Request & { params: { release: string; file: string } }) => {
    const { release, file } = c.params;
    const found = (await listMaps(db, await requireMonitor(db, at(c).names))).find((map) => map.release === release && map.file === file);
    if (!found) throw new Problem('SourceMapDoesNotExist');
    return found;
  };
  return [
    handle(monitorSourceMapList, async (c) => listMaps(db, await requireMonitor(db, at(c).names))),
    handle(
      monitorSourceMapUpload,
      async (c) => {
        const { release, file } = c.params;
        requireMapName(release, 'release');
        requireMapName(file, 'file');
        const content = await packMap(c.body);
        const writing = {
          verb: 'update',
          route: monitorSourceMapUpload,
          reason: 'Uploaded',
          did: `uploaded a source map of ${release} to`,
        };
        await write(deps, at(c), writing, (trx, id) => saveMap(trx, id, { release, file }, content));
        return { release, file, bytes: content.length, uploadedAt: new Date().toISOString() };
      },
      uploaded,
    ),
    handle(monitorSourceMapDelete, async (c) => {
      const { release } = c.params;
      const writing = { verb: 'update', route: monitorSourceMapDelete, reason: 'Deleted', did: `deleted the source maps of ${release} in` };
      await write(deps, at(c), writing, async (trx, id) => {
        const { numAffectedRows = 0n } = await sql`delete from source_map where monitor_id = ${id} and release = ${release}`.execute(trx);
        if (numAffectedRows === 0n) throw new Problem('SourceMapDoesNotExist');
      });
    }),
  ];
};

const readings = ({ db }: MonitorDeps): Handler[] => {
  const idOf = (c: Request): Promise<string> => requireMonitor(db, at(c).names);
  return [
    handle(monitorVitalsView, async (c) => readVitals(db, await idOf(c), c.query.range)),
    handle(monitorErrorList, async (c) => listErrors(db, await idOf(c), c.query.state)),
    handle(monitorErrorView, async (c) => readError(db, await idOf(c), c.params.errorId)),
    handle(monitorSessionList, async (c) => listSessions(db, await idOf(c), c.query.hasErrors === 'true')),
    handle(monitorSessionView, async (c) => readSession(db, await idOf(c), c.params.session)),
    handle(monitorCallList, async (c) => readCalls(db, await idOf(c), c.query.range)),
  ];
};

export const monitorRoutes = (deps: MonitorDeps): Handler[] => [...writes(deps), ...sourceMaps(deps), ...readings(deps)];
