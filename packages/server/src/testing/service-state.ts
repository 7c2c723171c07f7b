/** Reads the state of a service after a test changed it: its answer, its live revisions and the wanted instances. */
import http from 'node:http';
import type { Db } from '#db/database.ts';

export interface ServiceState {
  /** Answer of the edge at `/`: the program's text, or the status of a refusal. */
  readonly answer: string;
  /** Image tags of the revisions that serve. */
  readonly serving: readonly string[];
  /** The edge has it. */
  readonly isRouted: boolean;
  /** Revisions that are enabled, want instances, or are not known to have none. */
  readonly live: readonly { readonly tag: string; readonly enabled: boolean; readonly wanted: number; readonly status: string }[];
}

export const serviceState = async (db: Db, ingressPort: number, app: string): Promise<ServiceState> => {
  const revisions = await revisionRows(db, app);
  const nothing: string[] = [];
  const { serving, routed } = revisions[0] ?? { serving: nothing, routed: nothing };
  return {
    answer: await answerOf(ingressPort, app),
    serving: revisions.filter(({ name }) => serving.includes(name)).map(({ tag }) => tag),
    isRouted: routed.join() === serving.join(),
    live: revisions
      .filter(({ enabled, wanted, status }) => enabled || wanted > 0 || !['NO_INSTANCES', 'DELETED'].includes(status))
      .map(({ tag, enabled, wanted, status }) => ({ tag, enabled, wanted, status })),
  };
};

/** The state of a service that runs this image and nothing else. */
export const servesAlone = (tag: string, replicas: number): ServiceState => ({
  answer: tag,
  serving: [tag],
  isRouted: true,
  live: [{ tag, enabled: true, wanted: replicas, status: 'HEALTHY' }],
});

export const revisionRows = (db: Db, app: string) =>
  db
    .selectFrom('revision')
    .innerJoin('service', 'service.id', 'revision.service_id')
    .select(['revision.id', 'revision.name', 'revision.image_tag as tag', 'revision.enabled', 'revision.status'])
    .select(['revision.replicas_wanted as wanted', 'revision.failed_at', 'service.serving', 'service.routed'])
    .where('service.app_id', '=', app)
    .orderBy('revision.number')
    .execute();

const answerOf = (port: number, app: string): Promise<string> =>
  new Promise((answered) => {
    const headers = { host: `${app}.${app}.development.localhost:${port}` };
    http
      .get({ host: '127.0.0.1', port, path: '/', headers, agent: false }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => (text += part));
        answer.on('end', () => answered(answer.statusCode === 200 ? text : String(answer.statusCode)));
      })
      .on('error', (error) => answered(error.message));
  });
