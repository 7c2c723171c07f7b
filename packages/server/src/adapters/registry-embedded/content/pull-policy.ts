// Whether a pull may go on: what the policy of the project says of the image. The platform itself may read everything, and its node agent
// may pull again what a live revision runs.
import { nodeAgent } from '#ports/registry.ts';
import { PLATFORM } from '../sign-in/tokens.ts';
import type { Call, RegistryContext } from '../context.ts';
import { RegistryError } from '../registry-error.ts';
import { selectKin, selectKind } from './removal.sql.ts';

/** What such a manifest describes is no image: signatures, bills of materials and the like are never scanned. */
const IMAGE_CONFIGS: readonly (string | null)[] = [
  null,
  'application/vnd.oci.image.config.v1+json',
  'application/vnd.docker.container.image.v1+json',
];

/** Throws 412 with the reason, as Harbor does. */
export async function requirePull(context: RegistryContext, { repository, caller }: Call, digest: string): Promise<void> {
  if (caller.name === PLATFORM) return;
  const verdict = await context.rules.mayPull(repository, digest);
  if (verdict.isAllowed || (await isExempt(context, repository, digest, caller.name))) return;
  throw new RegistryError(412, 'PROJECTPOLICYVIOLATION', verdict.message, {}, { reason: verdict.code, ...verdict.context });
}

async function isExempt({ pool, rules }: RegistryContext, repository: string, digest: string, name: string): Promise<boolean> {
  const kind = await selectKind(pool, repository, digest);
  if (kind?.subject !== null || !IMAGE_CONFIGS.includes(kind.artifactType)) return true;
  if (name !== nodeAgent) return false;
  const parents = (await selectKin(pool, repository, digest))?.parents ?? [];
  return (await rules.uses(pool, repository, [digest, ...parents])).some(({ isLive }) => isLive);
}
