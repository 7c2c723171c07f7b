/** Lists the engines with the cheapest question that only a working engine answers, for the operator's page. */
import type { EngineId } from '@slipway/contract/operations.ts';
import type { Database } from '#db/database.ts';
import { forwardFailure } from '#modules/activity/index.ts';
import type { Adapters, Checks } from '#modules/resources/index.ts';
import { runtimeCapabilities } from '#modules/runtime/index.ts';
import type { AuditReceiver } from '#ports/audit-receiver.ts';
import type { EngineProbe } from '#ports/engine-probe.ts';

export interface ProbedEngine extends EngineProbe {
  readonly id: EngineId;
  readonly technology: string;
  /** Purpose of the platform's key with which Slipway signs in or signs for this engine. */
  readonly credential?: string;
  /** False if the engine was never used. It is not asked, because asking may start it. */
  readonly isUsed?: () => Promise<boolean>;
}
const DEGRADED = 'degraded: ';

interface ProbedContext {
  readonly database: Pick<Database, 'db' | 'pool'>;
  readonly adapters: Adapters;
  readonly checks: () => Checks;
}
const answered = async (asked: Promise<unknown>): Promise<undefined> => {
  await asked;
  return undefined;
};

const named =
  (engine: Omit<ProbedEngine, keyof EngineProbe>) =>
  (probe: EngineProbe): ProbedEngine => ({ ...probe, ...engine });

const runtimeProbes = ({ database: { db }, adapters: { runtime }, checks }: ProbedContext): readonly EngineProbe[] =>
  runtime.probes?.() ?? [
    {
      probe: async (findings) => {
        const answer = (await checks()['services']?.()) ?? 'ok';
        if (answer.startsWith(DEGRADED)) findings.warning(answer.slice(DEGRADED.length), 'The page of each service says why.');
        else if (answer !== 'ok') throw new Error(answer);
        return (await runtimeCapabilities(db))?.tier;
      },
    },
  ];

/** The last try says more than a connection, which a receiver may accept and then refuse the entries. */
const auditProbe = ({ db }: Pick<Database, 'db'>, receiver: AuditReceiver): ProbedEngine => ({
  id: 'auditReceiver',
  technology: receiver.kind,
  probe: async () => {
    const failure = await forwardFailure(db);
    if (failure !== undefined) throw new Error(failure);
    return answered(receiver.probe());
  },
});

export const probedEngines = (context: ProbedContext): ProbedEngine[] => {
  const { database, adapters } = context;
  const {
    auditReceiver,
    databases,
    directory,
    keys,
    mailer,
    outsideScanner,
    registry,
    runtime,
    scanner,
    schemaRegistry,
    signIn,
    source,
    streaming,
  } = adapters;
  const scans = outsideScanner ?? scanner;
  const hasDatabases = async () =>
    databases.kind !== 'embedded' || (await database.db.selectFrom('database').select('id').limit(1).executeTakeFirst()) !== undefined;
  return [
    {
      id: 'database',
      technology: 'PostgreSQL',
      probe: async () => (await database.pool.query<{ server_version: string }>('show server_version')).rows[0]?.server_version,
    },
    ...runtimeProbes(context).map(named({ id: 'runtime', technology: runtime.kind })),
    { id: 'source', technology: source.kind, probe: () => answered(source.repository({ owner: 'slipway', name: 'operations' })) },
    {
      id: 'registry',
      technology: registry.kind,
      credential: 'registry-tokens',
      probe: () => answered(registry.projectExists('operations')),
    },
    {
      id: 'scanner',
      technology: scans.kind,
      probe: async (findings) => {
        if (scans.probe) return scans.probe(findings);
        const { name, version } = await scans.info();
        return `${name} ${version}`;
      },
    },
    // The embedded server serves all regions.
    ...(databases.probes?.() ?? databases.regions.slice(0, 1).map((region) => ({ probe: () => databases.version(region) }))).map(
      named({ id: 'databases', technology: databases.kind, isUsed: hasDatabases }),
    ),
    ...(streaming.probes?.() ?? [{ probe: () => answered(streaming.check()) }]).map(
      named({ id: 'streaming', technology: streaming.kind, ...(streaming.kind === 'embedded' ? { credential: 'broker-password' } : {}) }),
    ),
    ...(schemaRegistry.probes?.() ?? [{ probe: () => answered(schemaRegistry.probe()) }]).map(
      named({ id: 'schemaRegistry', technology: schemaRegistry.kind }),
    ),
    {
      id: 'signIn',
      technology: signIn.probe ? 'OpenID Connect' : 'embedded',
      ...(signIn.probe ? {} : { credential: 'oidc-signing' }),
      probe: async (findings) => signIn.probe?.(findings),
    },
    { id: 'directory', technology: directory.kind, probe: () => answered(directory.standings([])) },
    { id: 'keys', technology: keys.kind, probe: () => answered(keys.currentKid()) },
    ...(auditReceiver ? [auditProbe(database, auditReceiver)] : []),
    { id: 'mail', technology: mailer.kind, probe: async (findings) => mailer.probe?.(findings) },
  ];
};
