/** Finds and deletes the tags that a retention rule does not keep. Keeps images of every revision, because a rollback needs them. */
import type { Retention } from '@slipway/contract/registry/policy.ts';
import type { RetentionPreview } from '@slipway/contract/registry/retention.ts';
import type { Db } from '#db/database.ts';
import { tagMatcher } from '#modules/services/index.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { Registry } from '#ports/registry.ts';
import type { TagInfo } from '#ports/registry-content.ts';
import { runsOf } from '../images/runs.sql.ts';

const DAY_MS = 86_400_000;
const PAGE = 200;
const MAX_COUNTED = 1000;
const MAX_SHOWN = 100;
/** Matches in linear time, because users write the pattern. */
const keepsBy = ({ keepPattern }: Retention): ((tag: string) => boolean) =>
  keepPattern === null ? () => false : tagMatcher(keepPattern, 'keepPattern');
const keptSince = ({ keepDays }: Retention, now: Date): Date | null =>
  keepDays === null ? null : new Date(now.getTime() - keepDays * DAY_MS);

interface Deps {
  readonly db: Db;
  readonly registry: Registry;
}

/** Yields the tags that the rule does not keep, oldest first. */
export async function* expired({ db, registry }: Deps, project: string, rule: Retention, now: Date): AsyncGenerator<TagInfo> {
  const isKept = keepsBy(rule);
  const asked = { keepNewest: rule.keepNewest, keepSince: keptSince(rule, now) };
  let after: TagInfo | undefined;
  for (;;) {
    const page = await registry.expiring(project, asked, { after, limit: PAGE });
    const runs = new Map<string, Set<string>>();
    for (const repository of new Set(page.map((tag) => tag.repository))) {
      const digests = page.filter((tag) => tag.repository === repository).map(({ digest }) => digest);
      const found = await runsOf(db, repository, [...new Set(digests)], { perImage: 1 });
      runs.set(repository, new Set([...found].flatMap(([digest, list]) => (list.length > 0 ? [digest] : []))));
    }
    for (const tag of page) if (!isKept(tag.tag) && !runs.get(tag.repository)?.has(tag.digest)) yield tag;
    after = page.at(-1);
    if (page.length < PAGE) return;
  }
}

/** Returns a predicate that tells whether a tag of this repository expires. The predicate ignores revisions, which callers check. */
export const expiringOf = async (
  registry: Registry,
  repository: string,
  rule: Retention,
  now: Date,
): Promise<(tag: TagInfo) => boolean> => {
  const isKept = keepsBy(rule);
  const since = keptSince(rule, now);
  const last = { sort: 'pushedAt', isDescending: true, offset: rule.keepNewest - 1, limit: 1, isWithoutSignatures: true } as const;
  const [edge] = (await registry.tagSlice(repository, last)).items;
  const isOlder = (tag: TagInfo, than: TagInfo): boolean =>
    tag.pushedAt.getTime() < than.pushedAt.getTime() || (tag.pushedAt.getTime() === than.pushedAt.getTime() && tag.tag < than.tag);
  return (tag) => edge !== undefined && isOlder(tag, edge) && (since === null || tag.pushedAt < since) && !isKept(tag.tag);
};

const bytesOf = async (registry: Registry, tags: readonly TagInfo[]): Promise<number> => {
  let bytes = 0;
  for (const repository of new Set(tags.map((tag) => tag.repository))) {
    const names = tags.filter((tag) => tag.repository === repository).map(({ tag }) => tag);
    bytes += await registry.bytesOf(repository, names);
  }
  return bytes;
};

export const previewRetention = async (deps: Deps, project: string, rule: Retention, now: Date): Promise<RetentionPreview> => {
  const found: TagInfo[] = [];
  let isAtLeast = false;
  for await (const tag of expired(deps, project, rule, now)) {
    if (found.length === MAX_COUNTED) {
      isAtLeast = true;
      break;
    }
    found.push(tag);
  }
  const content = found.slice(0, MAX_SHOWN).map(({ repository, tag, digest, sizeBytes, pushedAt }) => ({
    repository,
    tag,
    digest,
    sizeBytes,
    pushedAt: pushedAt.toISOString(),
  }));
  return { tags: found.length, sizeBytes: await bytesOf(deps.registry, found), isAtLeast, content };
};

export interface Retained {
  readonly tags: number;
  readonly sizeBytes: number;
}
/** Deletes the tags that the rule does not keep. Safe to repeat. Keeps tags that a live revision has started to use meanwhile. */
export const applyRetention = async (deps: Deps, project: string, rule: Retention, now: Date): Promise<Retained> => {
  const { registry } = deps;
  let tags = 0;
  let sizeBytes = 0;
  for await (const tag of expired(deps, project, rule, now)) {
    // Read before the deletion, which removes the rows that this sum needs.
    const bytes = await registry.bytesOf(tag.repository, [tag.tag]);
    const isGone = await registry.tagDelete(tag.repository, tag.tag, tag.digest).catch((error: unknown) => {
      if (isPortFailure(error, 'conflict')) return false;
      throw error;
    });
    if (!isGone) continue;
    tags += 1;
    sizeBytes += bytes;
  }
  return { tags, sizeBytes };
};
