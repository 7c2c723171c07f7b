/** Compares development with production, service by service. */
import type { Service } from '@slipway/contract/service/service.ts';

export interface ComparedService {
  name: string;
  development: Service | undefined;
  production: Service | undefined;
  /** "same image", "another image", "only in development" … */
  verdict: string;
  isSame: boolean;
}

const tagOf = (service: Service | undefined): string | null | undefined => service?.status.imageTag;

const verdictOf = (development: Service | undefined, production: Service | undefined): string => {
  if (!production) return 'not in production';
  if (!development) return 'only in production';
  if (!tagOf(development) || !tagOf(production)) return 'not deployed in both';
  return tagOf(development) === tagOf(production) ? 'same image' : 'another image';
};

/** Differences first, then by name. */
export const compareServices = (development: readonly Service[], production: readonly Service[]): ComparedService[] => {
  const names = new Set([...development, ...production].map(({ name }) => name));
  const find = (services: readonly Service[], name: string): Service | undefined => services.find((service) => service.name === name);
  return [...names]
    .map((name) => {
      const dev = find(development, name);
      const prod = find(production, name);
      const verdict = verdictOf(dev, prod);
      return { name, development: dev, production: prod, verdict, isSame: verdict === 'same image' };
    })
    .toSorted((a, b) => Number(a.isSame) - Number(b.isSame) || a.name.localeCompare(b.name));
};
