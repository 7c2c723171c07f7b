/**
 * Host names that no service may use as its domain. The platform's own hosts, because browser cookies ignore ports and the service would
 * receive the console's cookies. And the default hosts of services: otherwise another service could receive requests to a past or future
 * service with that name.
 */
import { environments } from '@slipway/contract/kernel/fields.ts';
import type { ServiceLinks } from '../services.sql.ts';

export const isReservedDomain = (domain: string, { url, hosts }: Pick<ServiceLinks, 'url' | 'hosts'>): boolean => {
  const [service = '', app = ''] = domain.split('.');
  const isGiven = environments.some((environment) => new URL(url({ app, environment, service }, '/')).hostname === domain);
  // Every service of a local installation is a subdomain of `localhost`, so only exact matches of it are reserved.
  return isGiven || hosts.some((host) => domain === host || (host.includes('.') && domain.endsWith(`.${host}`)));
};
