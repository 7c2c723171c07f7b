/** The public interface of secret groups. */
export { currentEdgeCredential, dropEdgeCredential, ensureEdgeCredential, rotateEdgeCredential } from './edge-credential.ts';
export { serviceGroups } from './attachments.ts';
export { attachGroups, detachGroups, environmentGroups, type GroupToAttach } from './environment-groups.ts';
export { givePassword, passwordStep, rotationNotes, type GroupCredential } from './group-credential.ts';
export { dropGroupsStep, dropPlatformGroup, withdrawPlatformVersion, writePlatformVersion } from './platform-group.ts';
export { requireFreeGroup, reservesGroups } from './groups.sql.ts';
export { isInUseSql } from './usage.sql.ts';
export { missingVersion, plainSpec } from './pinned-before.ts';
export { pinSecrets, resolveSecrets, type ResolvedSecrets, type RevisionToResolve } from './revision-secrets.ts';
export { restartServices } from './restart.ts';
export { secretGroupArea } from './secret-groups.routes.ts';
export type { SecretDeps } from './secret-groups.ts';
export { purposeOf } from './seal.ts';
export { createVault } from './vault.ts';
export { requireSettableKey, setSecretKey } from './versions.ts';
