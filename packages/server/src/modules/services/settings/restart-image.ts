/** The image for a restart: the one that the revision runs, in the repository that the settings name. */
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Db } from '#db/database.ts';
import type { Registry } from '#ports/registry.ts';
import { imageRepositoryOf } from '../image-repository.ts';
import { revisionById } from './state.sql.ts';

export interface RestartImage {
  /** For people: `{host}/{repository}:{tag}`. */
  readonly image: string;
  readonly tag: string;
  /** Undefined where there is no such image. */
  readonly digest: string | undefined;
}

/** By digest; in another repository, where the same image may not lie, by tag. */
export const restartImage = async (
  { db, registry }: { readonly db: Db; readonly registry: Registry },
  serviceId: string,
  revisionId: string,
  spec: ServiceSpec,
): Promise<RestartImage> => {
  const revision = await revisionById(db, serviceId, revisionId);
  if (!revision) throw new Error(`Revision ${revisionId} is gone`);
  const repository = imageRepositoryOf(spec);
  const tag = revision.imageTag;
  const found =
    (await registry.image(repository, revision.imageDigest)) ??
    (repository === revision.imageRepository ? undefined : await registry.image(repository, tag));
  return { image: `${registry.host}/${repository}:${tag}`, tag, digest: found?.digest };
};
