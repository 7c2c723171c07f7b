/** The address that the network settings make. Pure. */
import type { Draft } from '#features/services/settings/draft.ts';

/** `template` is the address that a service has by itself, with `{service}`, `{app}` and `{env}`. Undefined where nothing answers. */
export const serviceAddress = (
  { spec }: Draft,
  place: { readonly service: string; readonly app: string; readonly env: string },
  template: string,
): string | undefined => {
  const { type, domain, basePath } = spec.externalTraffic;
  if (type === 'NONE' || spec.exposedPort === null) return undefined;
  const own = template.replace('{service}', place.service).replace('{app}', place.app).replace('{env}', place.env);
  const url = domain ? own.replace(/^(\w+:\/\/)[^/:]+/, `$1${domain}`) : own;
  return `${url.replace(/\/$/, '')}${basePath === '/' ? '' : basePath}`;
};
