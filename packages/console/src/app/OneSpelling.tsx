/** Redirects other spellings of an environment (`dev`, `prod`) to the canonical one on all pages of an app. */
import { environmentOf } from '@slipway/contract/kernel/fields.ts';
import { Navigate, Outlet, useLocation } from 'react-router';

/** Returns the path with the environment's canonical name. Other paths stay unchanged. */
export const inOneSpelling = (pathname: string): string =>
  pathname.replace(/^(\/app\/[^/]+\/)([^/]+)/, (path, before: string, segment: string) => {
    const env = environmentOf(segment);
    return env === undefined ? path : before + env;
  });

export function OneSpelling() {
  const { pathname, search, hash } = useLocation();
  const kept = inOneSpelling(pathname);
  return kept === pathname ? <Outlet /> : <Navigate replace to={{ pathname: kept, search, hash }} />;
}
