/** Routes of services, revisions, instances and logs. */
import { Readable } from 'node:stream';
import { rowKey } from '@slipway/contract/kernel/kinds.ts';
import {
  revisionActivation,
  revisionDelete,
  revisionInstances,
  revisionList,
  revisionLogs,
  revisionView,
} from '@slipway/contract/service/revision.ts';
import { serviceKind } from '@slipway/contract/service/service.kind.ts';
import { serviceRollback, serviceSettingsView, serviceUpdate } from '@slipway/contract/service/service-operations.ts';
import {
  serviceActivation,
  serviceDelete,
  serviceDeploy,
  serviceList,
  servicePipelineList,
  serviceTagList,
  serviceView,
} from '@slipway/contract/service/service.ts';
import { revisionDiagnosis, revisionSourceChanges } from '@slipway/contract/service/diagnosis.ts';
import { endWhenRefused } from '#kernel/auth/stream-guard.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { runPage } from '#modules/pipelines/index.ts';
import type { Runtime } from '#ports/runtime.ts';
import { requireRevision, requireService, type ServiceDeps } from './service-context.ts';
import { eventsOf, instancesOf, revisionByName, revisionPage } from './revisions/revisions.sql.ts';
import { imageRepositoryOf } from './image-repository.ts';
import { write } from './operation.ts';
import { prepareRollback } from './revisions/rollback.ts';
import { prepareRevisionActivation, prepareRevisionDelete } from './revisions/revision-writes.ts';
import { prepareActivation, prepareDelete, prepareDeploy } from './services.ts';
import { serviceByKey, servicePage, type ServiceKey } from './services.sql.ts';
import { logText } from './diagnosis/log-text.ts';
import { metricsRoutes } from './diagnosis/metrics.routes.ts';
import type { OpenSecrets } from './diagnosis/mask-secrets.ts';
import { prepareUpdate, settingsView, type SettingsDeps } from './settings/settings.ts';
import { tagMatcher } from './repository/tag-matcher.ts';
import { revisionDiagnosisOf, type DiagnosisDeps } from './diagnosis/diagnosis.ts';
import { sourceChangesOf } from './diagnosis/source-changes.ts';

type Path = { params: { app: string; service: string }; environment: ServiceKey['environment'] };
const keyOf = (c: Path): ServiceKey => ({ app: c.params.app, environment: c.environment, service: c.params.service });

const serviceHandlers = (deps: ServiceDeps): Handler[] => {
  const { db, links } = deps;
  return [
    handle(serviceList, (c) => servicePage(db, { ...c.query, app: c.params.app, environment: c.environment }, c.caller, links)),
    handle(serviceView, async (c) => {
      const service = await serviceByKey(db, keyOf(c), c.caller, links);
      if (!service) throw new Problem('ServiceDoesNotExist');
      return service;
    }),
    handle(serviceDeploy, (c) => write(deps, c, keyOf(c), prepareDeploy(deps, c.caller, keyOf(c), c.body.imageTag))),
    handle(serviceActivation, (c) => write(deps, c, keyOf(c), prepareActivation(deps, c.caller, keyOf(c), c.body.active))),
    handle(serviceDelete, (c) => write(deps, c, keyOf(c), prepareDelete(deps, c.caller, keyOf(c)))),
    handle(serviceTagList, async (c) => {
      const service = await requireService(db, keyOf(c));
      const serving = await db
        .selectFrom('revision')
        .select('image_digest')
        .where('service_id', '=', service.id)
        .where('name', 'in', [...service.serving, ''])
        .execute();
      const isMatch = c.query.pattern === undefined ? undefined : tagMatcher(c.query.pattern, 'pattern');
      const images = await deps.registry.tags(imageRepositoryOf(service.spec));
      return images.flatMap((image) =>
        image.tags.map((tag) => ({
          tag,
          digest: image.digest,
          sizeBytes: image.sizeBytes,
          pushedAt: image.pushedAt.toISOString(),
          isServing: serving.some((row) => row.image_digest === image.digest),
          isMatch: isMatch ? isMatch(tag) : null,
        })),
      );
    }),
    handle(servicePipelineList, async (c) => {
      // Filters by the row's id, to exclude the history of an earlier service with this name.
      const { id } = await requireService(db, keyOf(c));
      return runPage(db, { ...c.query, subject: rowKey(serviceKind, id) }, c.caller);
    }),
  ];
};

const revisionHandlers = (deps: ServiceDeps): Handler[] => {
  const { db, links } = deps;
  return [
    handle(revisionList, async (c) => {
      await requireService(db, keyOf(c));
      return revisionPage(db, keyOf(c), c.query, c.caller, links);
    }),
    handle(revisionView, async (c) => {
      await requireService(db, keyOf(c));
      const revision = await revisionByName(db, keyOf(c), c.params.revision, c.caller, links);
      if (!revision) throw new Problem('RevisionDoesNotExist');
      return revision;
    }),
    handle(revisionInstances, async (c) => {
      const { row } = await requireRevision(db, keyOf(c), c.params.revision);
      return { instances: await instancesOf(db, row.id), events: await eventsOf(db, row.id) };
    }),
    handle(revisionDelete, (c) => write(deps, c, keyOf(c), prepareRevisionDelete(deps, c.caller, keyOf(c), c.params.revision))),
    handle(revisionActivation, (c) => {
      const wanted = { name: c.params.revision, enabled: c.body.enabled };
      return write(deps, c, keyOf(c), prepareRevisionActivation(deps, c.caller, keyOf(c), wanted));
    }),
  ];
};

const settingsHandlers = (deps: SettingsDeps): Handler[] => [
  handle(revisionSourceChanges, async (c) => ({ changes: await sourceChangesOf(deps, keyOf(c), c.params.revision, c.query.since) })),
  handle(serviceSettingsView, (c) => settingsView(deps, keyOf(c))),
  handle(serviceUpdate, (c) => {
    const { settingsVersion: version, ...settings } = c.body;
    return write(deps, c, keyOf(c), prepareUpdate(deps, c.caller, keyOf(c), { settings, version }));
  }),
  handle(serviceRollback, (c) => write(deps, c, keyOf(c), prepareRollback(deps, c.caller, keyOf(c), c.body))),
];

const diagnosisHandler = (deps: DiagnosisDeps): Handler =>
  handle(revisionDiagnosis, async (c) => ({ diagnosis: await revisionDiagnosisOf(deps, keyOf(c), c.params.revision, c.caller) }));

const logHandler = ({ db }: ServiceDeps, runtime: Runtime): Handler =>
  handle(revisionLogs, async (c) => {
    const { row } = await requireRevision(db, keyOf(c), c.params.revision);
    const gone = new AbortController();
    // Uses the reply's event: a request without a body closes as soon as it was read.
    c.reply.raw.once('close', () => gone.abort());
    const { tail, instance, previous } = c.query;
    // Logs of a previous instance have ended, so there is nothing to follow.
    const follow = c.query.follow && !previous;
    const options = { tailLines: tail, follow, previous, signal: gone.signal, ...(instance ? { instance } : {}) };
    if (follow) endWhenRefused(c.reply, c.callerNow);
    const lines = logText(runtime.logs({ ...keyOf(c), revision: c.params.revision }, options), follow, row.created_at);
    return c.reply
      .type(follow ? 'text/event-stream' : 'text/plain; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('x-content-type-options', 'nosniff')
      .send(Readable.from(lines));
  });

export const serviceRoutes = (deps: SettingsDeps, runtime: Runtime, secrets: OpenSecrets): Handler[] => [
  diagnosisHandler({ db: deps.db, registry: deps.registry, runtime, secrets }),
  ...settingsHandlers(deps),
  ...serviceHandlers(deps),
  ...revisionHandlers(deps),
  ...metricsRoutes(deps.db),
  logHandler(deps, runtime),
];
