/** Tags and images as the contract shows them: what the registry knows, with who pushed, what runs them, and what may be done. */
import { memberRule, type Actor } from '@slipway/contract/kernel/rights.ts';
import { tagRules, type ImageDetail, type ImageTag } from '@slipway/contract/registry/images.ts';
import { notScanned } from '@slipway/contract/registry/scan.ts';
import type { Db } from '#db/database.ts';
import type { Registry } from '#ports/registry.ts';
import type { TagInfo } from '#ports/registry-content.ts';
import { refusalOf } from '../policy/pull-verdict.ts';
import { policyOfApp } from '../project/registry.sql.ts';
import { expiringOf } from '../retention/retention.ts';
import { scansOf } from '../scans/scan-rows.ts';
import { pushersOf } from './pusher-names.ts';
import { runsOf } from './runs.sql.ts';

export interface ImageDeps {
  readonly db: Db;
  readonly registry: Registry;
}
/** Who looks, and at whose project. */
export interface Reader {
  readonly caller: Actor;
  readonly teamId: string;
}
const RUNS_IN_LIST = 10;
const RUNS_IN_DETAIL = 50;
const MAX_REFERRERS = 100;
const MAX_OTHER_TAGS = 20;

/** Tags of one repository. */
export const showTags = async (
  { db, registry }: ImageDeps,
  { caller, teamId }: Reader,
  tags: readonly TagInfo[],
  perImage: number = RUNS_IN_LIST,
): Promise<ImageTag[]> => {
  const repository = tags[0]?.repository ?? '';
  const project = repository.slice(0, repository.indexOf('/'));
  const digests = [...new Set(tags.map(({ digest }) => digest))];
  const [runs, scans, pusherOf, { retention }] = await Promise.all([
    runsOf(db, repository, digests, { perImage }),
    scansOf(db, digests),
    pushersOf(
      db,
      tags.map(({ pushedBy }) => pushedBy),
    ),
    policyOfApp(db, project),
  ]);
  const isExpiring = retention ? await expiringOf(registry, repository, retention, new Date()) : () => false;
  const member = memberRule(caller, teamId);
  return tags.map((tag) => {
    const ran = runs.get(tag.digest) ?? [];
    const rules = tagRules(ran);
    return {
      repository: tag.repository,
      tag: tag.tag,
      digest: tag.digest,
      mediaType: tag.mediaType,
      sizeBytes: tag.sizeBytes,
      pushedAt: tag.pushedAt.toISOString(),
      pushedBy: pusherOf(tag.pushedBy),
      runs: ran,
      isSigned: tag.isSigned,
      scan: scans.get(tag.digest) ?? notScanned,
      isExpiring: ran.length === 0 && isExpiring(tag),
      can: { delete: member === true ? rules.delete : member, move: member === true ? rules.move : member },
    };
  });
};

export const showImage = async (deps: ImageDeps, reader: Reader, tag: TagInfo): Promise<ImageDetail> => {
  const { registry, db } = deps;
  const { repository, digest } = tag;
  const [[shown], anatomy, referrers, same, refusal] = await Promise.all([
    showTags(deps, reader, [tag], RUNS_IN_DETAIL),
    registry.anatomy(repository, digest),
    registry.referrers(repository, digest, MAX_REFERRERS),
    registry.tagSlice(repository, {
      sort: 'pushedAt',
      isDescending: true,
      offset: 0,
      limit: MAX_OTHER_TAGS + 1,
      digests: { only: [digest] },
    }),
    refusalOf(db, repository, digest),
  ]);
  if (!shown) throw new Error(`${tag.tag} is not shown`);
  return {
    ...shown,
    platforms: [...(anatomy?.platforms ?? [])],
    createdAt: anatomy?.createdAt ?? null,
    labels: { ...anatomy?.labels },
    user: anatomy?.user ?? '',
    workingDirectory: anatomy?.workingDirectory ?? '',
    command: [...(anatomy?.command ?? [])],
    exposedPorts: [...(anatomy?.exposedPorts ?? [])],
    layers: [...(anatomy?.layers ?? [])],
    referrers: referrers.map((one) => ({ ...one, pushedAt: one.pushedAt.toISOString(), annotations: { ...one.annotations } })),
    otherTags: same.items
      .map((one) => one.tag)
      .filter((name) => name !== tag.tag)
      .slice(0, MAX_OTHER_TAGS),
    refusal: refusal ? { code: refusal.code, context: { ...refusal.context } } : null,
  };
};
