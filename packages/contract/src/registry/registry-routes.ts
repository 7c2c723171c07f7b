/** Where the routes of an app's container registry stand, and what each of them may answer. */
export const registryTag = 'Container registry';
export const registryPath = '/api/v1/apps/{app}/{env}/container-registry';
export const registryCodes = ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist', 'EngineUnavailable'] as const;
/** Of one image: `repository` is its name within the project, `berth-api` of `berth/berth-api`. */
export const imageTagPath = `${registryPath}/repositories/{repository}/tags/{tag}` as const;
