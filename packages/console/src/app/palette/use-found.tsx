/** Server-side search of the palette: apps, services of the current app, teams. Without a query, the user's own apps. */
import { applicationList, type Application } from '@slipway/contract/application.ts';
import type { Kind } from '@slipway/contract/kernel/subject.ts';
import { serviceList } from '@slipway/contract/service/service.ts';
import { StatusIcon } from '@slipway/ui/feedback/StatusIcon.tsx';
import { LayoutGrid } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useMe } from '#entities/team/me.ts';
import { useQuery } from '#kit/api/query.ts';
import { paths } from '#entities/paths.ts';
import { healthLook, revisionLook } from '#entities/status.ts';
import type { Entry, EntryGroup } from './match.ts';
import { namesOf, type Place } from './use-place.ts';
import useSWR from 'swr';
import { call } from '#kit/api/call.ts';
import { isStatus } from '#kit/api/errors.ts';
import type { Screens } from '#entities/resource/screens.ts';
import { declaredScreens } from '../declared-screens.ts';

const restMs = 150;
const appsShown = 8;
const ownAppsShown = 5;
const othersShown = 5;
const options = { keepPreviousData: true, pollMs: 0 };

/** Debounces the text; an emptied field applies immediately. */
const useRested = (text: string): string => {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), text === '' ? 0 : restMs);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
};

const appEntry = ({ id, displayName, teamName }: Application): Entry => ({
  key: `app ${id}`,
  label: id,
  words: displayName,
  note: teamName,
  icon: <LayoutGrid aria-hidden="true" />,
  href: paths.app({ app: id }),
});

const useServices = ({ app, env, service, application }: Place): EntryGroup => {
  const { data } = useQuery(
    serviceList,
    app !== undefined && env !== undefined && application !== undefined && { params: { app, env }, query: { size: 100 } },
    options,
  );
  const entries = (data?.content ?? [])
    .filter(({ name }) => name !== service)
    .map(({ name, active, status }): Entry => ({
      key: `service ${name}`,
      label: name,
      note: `${app}, ${env}`,
      icon: <StatusIcon tone={(active ? revisionLook[status.health] : healthLook.INACTIVE).tone} />,
      href: paths.service({ app: app ?? '', env: env ?? '', service: name }),
    }));
  return { label: 'Services of this app', entries };
};

/** Searches the lists that can be reached from the current place: a team's entities only while a team is known. */
const foundOf = async (
  { kind, list, icon, foundEntry }: Screens,
  query: string,
  names: ReturnType<typeof namesOf>,
): Promise<EntryGroup> => {
  const input = { params: names, query: { query, size: othersShown } };
  const page = await call(await list(), input as never).then(
    (answer) => answer as unknown as { content: never[] },
    (error: unknown) => {
      // The user may not see this team's entities: skip them and keep the other results.
      if (isStatus(error, 403, 404)) return { content: [] };
      throw error;
    },
  );
  const entries = page.content
    .map((view) => foundEntry(view, names))
    .map((found) => ({ key: `${kind.kind} ${found.href}`, icon, ...found }));
  return { label: kind.plural, entries };
};
/** Returns true if the names of all parents are known. */
const isReached = ({ address }: Kind, names: ReturnType<typeof namesOf>): boolean =>
  address.slice(0, -1).every((name) => names[name] !== undefined);
const useFoundEntities = (query: string, place: Place) => {
  const names = namesOf(place);
  const reached = declaredScreens.filter(({ kind }) => isReached(kind, names));
  return useSWR<EntryGroup[]>(
    query === '' ? null : ['found', names, query],
    () => Promise.all(reached.map((screens) => foundOf(screens, query, names))),
    { keepPreviousData: true },
  );
};

export interface Found {
  groups: EntryGroup[];
  isSearching: boolean;
  hasFailed: boolean;
}

export const useFound = (typed: string, place: Place): Found => {
  const text = typed.trim();
  const query = useRested(text);
  const { data: me } = useMe();
  const apps = useQuery(
    applicationList,
    query === '' ? me && { query: { identityId: me.id, size: ownAppsShown } } : { query: { query, size: appsShown } },
    options,
  );
  const others = useFoundEntities(query, place);
  const services = useServices(place);
  return {
    groups: [
      services,
      { label: query === '' ? 'My apps' : 'Apps', entries: (apps.data?.content ?? []).map(appEntry) },
      ...(query === '' ? [] : (others.data ?? [])),
    ],
    isSearching: query !== text || apps.isValidating || others.isValidating,
    hasFailed: [apps, others].some(({ error, data }) => error !== undefined && (data === undefined || query !== '')),
  };
};
