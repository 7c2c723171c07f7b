/** Leads other spellings of an environment (`dev`, `prod`) to the one that all links use, on every page of an app. */
import { environmentOf } from '@slipway/contract/kernel/fields.ts';
import { Navigate, Outlet, useLocation } from 'react-router';

/** The path with the environment's own name. Other paths stay as they are. */
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
