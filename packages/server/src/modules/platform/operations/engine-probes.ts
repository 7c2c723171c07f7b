/** Lists the engines with the cheapest question that only a working engine answers, for the operator's page. */
import type { EngineId } from '@slipway/contract/operations.ts';
import { environments } from '@slipway/contract/kernel/fields.ts';
import type { Database } from '#db/database.ts';
import type { Adapters, Checks } from '#modules/resources/index.ts';
import { runtimeCapabilities } from '#modules/runtime/index.ts';
import type { EngineProbe } from '#ports/engine-probe.ts';

export interface ProbedEngine extends EngineProbe {
  readonly id: EngineId;
  readonly technology: string;
  /** Purpose of the platform's key with which Slipway signs in or signs for this engine. */
  readonly credential?: string;
  /** False if the engine was never used. It is not asked, because asking may start it. */
  readonly isUsed?: () => Promise<boolean>;
}
/** The engine answers, but does not do all of its work. */
export class EngineDegraded extends Error {
  override readonly name = 'EngineDegraded';
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
const TIMEOUT_MS = 3000;

const runtimeProbes = ({ database: { db }, adapters: { runtime }, checks }: ProbedContext): readonly EngineProbe[] =>
  runtime.probes?.() ?? [
    {
      probe: async () => {
        const answer = (await checks()['services']?.()) ?? 'ok';
        if (answer.startsWith(DEGRADED)) throw new EngineDegraded(answer.slice(DEGRADED.length));
        if (answer !== 'ok') throw new Error(answer);
        return (await runtimeCapabilities(db))?.tier;
      },
    },
  ];

const signInProbe = (signIn: Adapters['signIn']): Omit<ProbedEngine, 'id'> => {
  // The embedded provider is part of this process.
  if (signIn.endSessions) return { technology: 'embedded', credential: 'oidc-signing', probe: async () => undefined };
  const address = `${signIn.authority.replace(/\/$/, '')}/.well-known/openid-configuration`;
  return {
    technology: 'OpenID Connect',
    probe: async () => {
      const { ok, status } = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (!ok) throw new Error(`The provider answered ${status}`);
      return undefined;
    },
  };
};

export const probedEngines = (context: ProbedContext): ProbedEngine[] => {
  const { database, adapters } = context;
  const { databases, directory, keys, mailer, outsideScanner, registry, runtime, scanner, schemaRegistry, signIn, source, streaming } =
    adapters;
  const scans = outsideScanner ?? scanner;
  const hasDatabases = async () =>
    databases.kind !== 'embedded' || (await database.db.selectFrom('database').select('id').limit(1).executeTakeFirst()) !== undefined;
  return [
    {
      id: 'database',
      technology: 'PostgreSQL',
      probe: async () => (await database.pool.query<{ server_version: string }>('show server_version')).rows[0]?.server_version,
    },
    ...runtimeProbes(context).map((one): ProbedEngine => ({ ...one, id: 'runtime', technology: runtime.kind })),
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
      probe: async () => {
        const { name, version } = await scans.info();
        return `${name} ${version}`;
      },
    },
    // The embedded server serves all regions.
    ...(databases.kind === 'embedded' ? databases.regions.slice(0, 1) : databases.regions).map((region): ProbedEngine => ({
      id: 'databases',
      technology: databases.kind,
      ...(databases.kind === 'embedded' ? {} : { place: region }),
      isUsed: hasDatabases,
      probe: () => databases.version(region),
    })),
    {
      id: 'streaming',
      technology: streaming.kind,
      ...(streaming.kind === 'embedded' ? { credential: 'broker-password' } : {}),
      probe: () => answered(streaming.check()),
    },
    ...(schemaRegistry.kind === 'embedded' ? [undefined] : environments.filter((one) => schemaRegistry.info(one).url !== null)).map(
      (environment): ProbedEngine => ({
        id: 'schemaRegistry',
        technology: schemaRegistry.kind,
        ...(environment === undefined ? {} : { place: environment }),
        probe: () => answered(schemaRegistry.probe(environment)),
      }),
    ),
    { id: 'signIn', ...signInProbe(signIn) },
    { id: 'directory', technology: directory.kind, probe: () => answered(directory.standings([])) },
    { id: 'keys', technology: keys.kind, probe: () => answered(keys.currentKid()) },
    { id: 'mail', technology: mailer.kind, probe: async () => mailer.probe?.() },
  ];
};
