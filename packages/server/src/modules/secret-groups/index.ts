/** The secret groups' door. */
export { pinSecrets, resolveSecrets, type ResolvedSecrets, type RevisionToResolve } from './revision-secrets.ts';
export { secretGroupRoutes } from './secret-groups.routes.ts';
export { purposeOf } from './seal.ts';
export { createVault, type Vault } from './vault.ts';
