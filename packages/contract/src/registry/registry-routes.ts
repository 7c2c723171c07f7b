/** Paths of the routes of an app's container registry, and their common error codes. */
export const registryTag = 'Container registry';
export const registryPath = '/api/v1/apps/{app}/{env}/container-registry';
export const registryCodes = ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist', 'EngineUnavailable'] as const;
/** Path of one image. `repository` is the name within the project: `berth-api` for `berth/berth-api`. */
export const imageTagPath = `${registryPath}/repositories/{repository}/tags/{tag}` as const;
