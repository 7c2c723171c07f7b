/** The image for a restart: the running revision's image, in the repository that the settings name. */
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Db } from '#db/database.ts';
import type { Registry } from '#ports/registry.ts';
import { imageRepositoryOf } from '../image-repository.ts';
import { revisionById } from './state.sql.ts';

export interface RestartImage {
  /** Displayed name: `{host}/{repository}:{tag}`. */
  readonly image: string;
  readonly tag: string;
  /** Undefined if the image does not exist. */
  readonly digest: string | undefined;
}

/** Finds the image by digest, or in another repository, which may contain a different image: by `approved`, or by tag. */
export const restartImage = async (
  { db, registry }: { readonly db: Db; readonly registry: Registry },
  serviceId: string,
  revisionId: string,
  spec: ServiceSpec,
  approved?: string,
): Promise<RestartImage> => {
  const revision = await revisionById(db, serviceId, revisionId);
  if (!revision) throw new Error(`Revision ${revisionId} is gone`);
  const repository = imageRepositoryOf(spec);
  const tag = revision.imageTag;
  const found =
    (await registry.image(repository, revision.imageDigest)) ??
    (repository === revision.imageRepository ? undefined : await registry.image(repository, approved ?? tag));
  return { image: `${registry.host}/${repository}:${tag}`, tag, digest: found?.digest };
};
