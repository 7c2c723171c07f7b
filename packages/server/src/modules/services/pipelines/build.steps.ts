/** Builds an image from a commit: reads the source, builds without Docker, pushes through the registry's API. */
import type { Db } from '#db/database.ts';
import { StepFailure, type StepResult } from '#modules/pipelines/index.ts';
import type { Builder } from '#ports/builder.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { Registry } from '#ports/registry.ts';
import type { RepositoryRef, SourceHost } from '#ports/source.ts';
import { imageRepositoryOf } from '../image-repository.ts';
import type { RolloutInput, RolloutState } from './rollout.steps.ts';
import { requireRow, type ServiceContext } from './service-pipeline.ts';

/** The repository and commit to build. */
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

/** Returns `YYYY.MM.DD-<sha7>` (decisions §11) with the commit's date, so the same commit always gets the same tag. */
export const tagOf = (commit: string, at: Date): string => `${at.toISOString().slice(0, 10).replaceAll('-', '.')}-${commit.slice(0, 7)}`;
const megabytes = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.max(1, Math.round(bytes / 1000))} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

/** Builds a commit and returns the tag. Quickstart and push share this step. */
export const buildCommit = async (
  { db, source, builder, registry }: BuildEngines,
  c: ServiceContext<RolloutInput, RolloutState>,
  { repository, commit }: BuildSource,
): Promise<StepResult<RolloutState>> => {
  const reading = source.readTree(repository, commit);
  // Awaited below. This prevents an unhandled rejection if the commit does not exist.
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
