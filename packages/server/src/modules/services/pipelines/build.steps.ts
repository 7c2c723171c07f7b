/** From a commit to an image in the registry: read the source, build without Docker, push through the registry's own API. */
import type { Db } from '#db/database.ts';
import { StepFailure, type StepResult } from '#modules/pipelines/index.ts';
import type { Builder } from '#ports/builder.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { Registry } from '#ports/registry.ts';
import type { RepositoryRef, SourceHost } from '#ports/source.ts';
import { imageRepositoryOf } from '../image-repository.ts';
import type { RolloutInput, RolloutState } from './rollout.steps.ts';
import { requireRow, type ServiceContext } from './service-pipeline.ts';

/** What is built. */
export interface BuildSource {
  readonly repository: RepositoryRef;
  readonly commit: string;
}
export interface BuildInput extends RolloutInput, BuildSource {}
export interface BuildEngines {
  readonly db: Db;
  readonly source: SourceHost;
  readonly builder: Builder;
  readonly registry: Registry;
}

/** `YYYY.MM.DD-<sha7>` (decisions §11), by the commit's own day: the same commit gets the same tag. */
export const tagOf = (commit: string, at: Date): string => `${at.toISOString().slice(0, 10).replaceAll('-', '.')}-${commit.slice(0, 7)}`;
const megabytes = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.max(1, Math.round(bytes / 1000))} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

/** Builds one commit and answers the tag; quickstart and push share it. */
export const buildCommit = async (
  { db, source, builder, registry }: BuildEngines,
  c: ServiceContext<RolloutInput, RolloutState>,
  { repository, commit }: BuildSource,
): Promise<StepResult<RolloutState>> => {
  const reading = source.readTree(repository, commit);
  // What it answers is waited for below, unless there is no commit.
  reading.catch(() => undefined);
  const info = await source.commit(repository, commit);
  if (!info) throw new StepFailure('CommitDoesNotExist', { commit: commit.slice(0, 7) });
  const tag = tagOf(commit, info.at);
  const { spec } = await requireRow(db, c.service);
  const image = imageRepositoryOf(spec);
  const built = await builder.build({
    buildId: c.runId,
    files: await reading,
    repository: image,
    tag,
    labels: {
      'org.opencontainers.image.revision': commit,
      'org.opencontainers.image.created': info.at.toISOString(),
      'org.opencontainers.image.title': c.input.service,
    },
    onLog: (line) => c.log(line),
    signal: c.signal,
  });
  await c.setFacts({ imageTag: tag, commit: commit.slice(0, 7) });
  return {
    state: { imageTag: tag },
    message: { code: 'ImageBuilt', context: { image: `${registry.host}/${image}:${tag}`, size: megabytes(built.sizeBytes) } },
  };
};

export const readSource = async (
  { db, source }: BuildEngines,
  { service, log }: ServiceContext<RolloutInput, RolloutState>,
  wanted: BuildSource,
): Promise<void> => {
  await requireRow(db, service);
  const commit = await source.commit(wanted.repository, wanted.commit).catch((error: unknown) => {
    if (isPortFailure(error, 'notFound')) return undefined;
    throw error;
  });
  if (!commit) throw new StepFailure('CommitDoesNotExist', { commit: wanted.commit.slice(0, 7) });
  log(`${commit.sha.slice(0, 7)} “${commit.message.split('\n')[0]}” by ${commit.author}`);
};
