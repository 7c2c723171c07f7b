/** Routes of services, revisions, instances and logs. */
import { Readable } from 'node:stream';
import { rowKey } from '@slipway/contract/kinds.ts';
import {
  revisionActivation,
  revisionDelete,
  revisionInstances,
  revisionList,
  revisionLogs,
  revisionView,
} from '@slipway/contract/service/revision.ts';
import { serviceKind } from '@slipway/contract/kinds/service.kind.ts';
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
import { keyOf, operations } from './approvals/operations.ts';
import type { CreationDeps } from './create-service.ts';
import { requireRevision, requireService, type ServiceDeps } from './service-context.ts';
import { eventsOf, instancesOf, revisionByName, revisionPage } from './revisions/revisions.sql.ts';
import { imageRepositoryOf } from './image-repository.ts';
import { write } from './operation.ts';
import { serviceByKey, servicePage } from './services.sql.ts';
import { logText } from './diagnosis/log-text.ts';
import { metricsRoutes } from './diagnosis/metrics.routes.ts';
import type { OpenSecrets } from './diagnosis/mask-secrets.ts';
import { settingsView } from './settings/settings.ts';
import { tagMatcher } from './repository/tag-matcher.ts';
import { revisionDiagnosisOf, type DiagnosisDeps } from './diagnosis/diagnosis.ts';
import { sourceChangesOf } from './diagnosis/source-changes.ts';

const serviceHandlers = (deps: CreationDeps): Handler[] => {
  const { db, links } = deps;
  return [
    handle(serviceList, (c) => servicePage(db, { ...c.query, app: c.params.app, environment: c.environment }, c.caller, links)),
    handle(serviceView, async (c) => {
      const service = await serviceByKey(db, keyOf(c), c.caller, links);
      if (!service) throw new Problem('ServiceDoesNotExist');
      return service;
    }),
    handle(serviceDeploy, (c) => write(deps, c, operations.serviceDeploy)),
    handle(serviceActivation, (c) => write(deps, c, operations.serviceActivation)),
    handle(serviceDelete, (c) => write(deps, c, operations.serviceDelete)),
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

const revisionHandlers = (deps: CreationDeps): Handler[] => {
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
    handle(revisionDelete, (c) => write(deps, c, operations.revisionDelete)),
    handle(revisionActivation, (c) => write(deps, c, operations.revisionActivation)),
  ];
};

const settingsHandlers = (deps: CreationDeps): Handler[] => [
  handle(revisionSourceChanges, async (c) => ({ changes: await sourceChangesOf(deps, keyOf(c), c.params.revision, c.query.since) })),
  handle(serviceSettingsView, (c) => settingsView(deps, keyOf(c))),
  handle(serviceUpdate, (c) => write(deps, c, operations.serviceUpdate)),
  handle(serviceRollback, (c) => write(deps, c, operations.serviceRollback)),
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

export const serviceRoutes = (deps: CreationDeps, runtime: Runtime, secrets: OpenSecrets): Handler[] => [
  diagnosisHandler({ db: deps.db, registry: deps.registry, runtime, secrets }),
  ...settingsHandlers(deps),
  ...serviceHandlers(deps),
  ...revisionHandlers(deps),
  ...metricsRoutes(deps.db),
  logHandler(deps, runtime),
];
