/** Answers the routes of repositories, tags and images, and shows what retention would delete. */
import {
  imageRepositoryDelete,
  imageRepositoryList,
  imageTagDelete,
  imageTagList,
  imageTagView,
  type ImageRepository,
} from '@slipway/contract/registry/images.ts';
import { memberRule } from '@slipway/contract/kernel/rights.ts';
import { containerRegistryResource } from '@slipway/contract/registry/project.ts';
import { retentionPreview } from '@slipway/contract/registry/retention.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { transaction } from '#db/database.ts';
import { handle, type Caller, type Handler, type Owner } from '#kernel/http/handle.ts';
import { pageOf, totalOf } from '#kernel/page.ts';
import { Problem } from '#kernel/problem.ts';
import { recordChange } from '#modules/resources/index.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { RepositoryUse, TagInfo, TagSlice } from '#ports/registry-content.ts';
import { policyOfApp } from '../project/registry.sql.ts';
import { previewRetention } from '../retention/retention.ts';
import { enqueueRegistryEvent } from '../webhooks/index.ts';
import { showImage, showTags, type ImageDeps } from './image-view.ts';
import { runningDigests, runsOf } from './runs.sql.ts';

interface Request {
  readonly params: { readonly app: string; readonly repository: string };
  readonly owner: Owner;
  readonly caller: Caller;
}
const fullName = ({ params: { app, repository } }: Request): string => `${app}/${repository}`;
const readerOf = ({ caller, owner }: Pick<Request, 'caller' | 'owner'>) => ({ caller, teamId: owner.teamId });
/** `-pushedAt` → descending by the time of the push. */
const orderBy = <Word extends string>(sort: string | undefined, words: readonly Word[], usual: Word, isUsualDescending: boolean) => {
  const word = words.find((one) => one === sort?.replace(/^-/, ''));
  return word === undefined
    ? { sort: usual, isDescending: isUsualDescending }
    : { sort: word, isDescending: sort?.startsWith('-') ?? false };
};

/** Throws RepositoryDoesNotExist: one without an image is not shown either. */
const requireRepository = async ({ registry }: ImageDeps, repository: string): Promise<void> => {
  if (!(await registry.repositoryExists(repository))) throw new Problem('RepositoryDoesNotExist');
};
const requireTag = async (deps: ImageDeps, repository: string, tag: string): Promise<TagInfo> => {
  const found = await deps.registry.tag(repository, tag);
  if (found) return found;
  await requireRepository(deps, repository);
  throw new Problem('TagDoesNotExist');
};

/** After the engine's answer, which no transaction holds. */
const record = (deps: ImageDeps, route: RouteShape, c: Request, title: string, before: object): Promise<void> =>
  transaction(deps.db, (trx) =>
    recordChange(trx, containerRegistryResource, route, {
      caller: c.caller,
      names: { app: c.params.app, project: c.params.app },
      team: c.owner.teamId,
      title,
      message: `${c.caller.displayName} deleted ${title} from the container registry`,
      before,
    }),
  );

const inUse = (
  code: 'TagInUse' | 'RepositoryInUse',
  runs: readonly { readonly revision: string; readonly environment: string }[],
): Problem =>
  new Problem(code, { context: { revision: runs.map(({ revision, environment }) => `${revision} in ${environment}`).join(', ') } });

const deleteTag = async (deps: ImageDeps, c: Request & { readonly params: { readonly tag: string } }): Promise<void> => {
  const repository = fullName(c);
  const tag = await requireTag(deps, repository, c.params.tag);
  const runs = (await runsOf(deps.db, repository, [tag.digest], { perImage: 10 })).get(tag.digest) ?? [];
  const live = runs.filter(({ isLive }) => isLive);
  if (live.length > 0) throw inUse('TagInUse', live);
  await deps.registry.tagDelete(repository, tag.tag, tag.digest, c.caller.id).catch((error: unknown) => {
    if (!isPortFailure(error, 'conflict')) throw error;
    throw inUse('TagInUse', [{ revision: error.context['revision'] ?? '', environment: error.context['environment'] ?? '' }]);
  });
  await record(deps, imageTagDelete, c, `${repository}:${tag.tag}`, { digest: tag.digest });
};

const deleteRepository = async (deps: ImageDeps, c: Request): Promise<void> => {
  const repository = fullName(c);
  await requireRepository(deps, repository);
  const digests = await runningDigests(deps.db, repository);
  const runs = [...(await runsOf(deps.db, repository, digests.slice(0, 10), { perImage: 1 })).values()].flat();
  if (runs.length > 0) throw inUse('RepositoryInUse', runs);
  await deps.registry.repositoryDelete(repository);
  const event = { type: 'DELETE_ARTIFACT', project: c.params.app, operator: c.caller.id, repository } as const;
  await enqueueRegistryEvent(deps.db, deps.registry, event);
  await record(deps, imageRepositoryDelete, c, repository, {});
};

const shownRepository = (use: RepositoryUse, member: ReturnType<typeof memberRule>): ImageRepository => ({
  name: use.repository.slice(use.repository.indexOf('/') + 1),
  repository: use.repository,
  tagCount: use.tags,
  sizeBytes: use.sizeBytes,
  pushedAt: use.updatedAt.toISOString(),
  can: { delete: member },
});

export const imageRoutes = (deps: ImageDeps): Handler[] => {
  const { db, registry } = deps;
  return [
    handle(imageRepositoryList, async ({ params: { app }, owner, caller, query }) => {
      const order = orderBy(query.sort, ['name', 'pushedAt', 'sizeBytes'] as const, 'name', false);
      const slice = { ...order, query: query.query, offset: query.page * query.size, limit: query.size };
      const { items, counted } = await registry.repositorySlice(app, slice);
      const member = memberRule(caller, owner.teamId);
      return pageOf(
        items.map((use) => shownRepository(use, member)),
        totalOf(counted),
        query,
      );
    }),
    handle(imageRepositoryDelete, (c) => deleteRepository(deps, c)),
    handle(imageTagList, async (c) => {
      const { query } = c;
      const repository = fullName(c);
      await requireRepository(deps, repository);
      const order = orderBy(query.sort, ['pushedAt', 'tag'] as const, 'pushedAt', true);
      const digests = query.isRunning === undefined ? undefined : await runningDigests(db, repository);
      const slice: TagSlice = {
        ...order,
        query: query.query,
        offset: query.page * query.size,
        limit: query.size,
        ...(digests && { digests: query.isRunning ? { only: digests } : { except: digests } }),
      };
      const { items, counted } = await registry.tagSlice(repository, slice);
      return pageOf(await showTags(deps, readerOf(c), items), totalOf(counted), query);
    }),
    handle(imageTagView, async (c) => showImage(deps, readerOf(c), await requireTag(deps, fullName(c), c.params.tag))),
    handle(imageTagDelete, (c) => deleteTag(deps, c)),
    handle(retentionPreview, async ({ params: { app }, query }) => {
      const { keepNewest, keepDays = null, keepPattern } = query;
      const saved = (await policyOfApp(db, app)).retention;
      const rule = keepNewest === undefined ? saved : { keepNewest, keepDays, keepPattern: keepPattern || null };
      if (!rule) return { tags: 0, sizeBytes: 0, isAtLeast: false, content: [] };
      return previewRetention(deps, app, rule, new Date());
    }),
  ];
};
