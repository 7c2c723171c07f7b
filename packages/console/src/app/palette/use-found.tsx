/** What the server finds for the palette: apps, services of the app in view, teams. Without a text one's own apps. */
import { applicationList, type Application } from '@slipway/contract/application.ts';
import { serviceList } from '@slipway/contract/service.ts';
import { teamList } from '@slipway/contract/team.ts';
import { Mark } from '@slipway/ui/Mark.tsx';
import { LayoutGrid, Users } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useMe } from '#entities/team/me.ts';
import { useQuery } from '#kit/api/query.ts';
import { paths } from '#entities/paths.ts';
import { healthLook, revisionLook } from '#entities/status.ts';
import type { Entry, EntryGroup } from './match.ts';
import type { Place } from './use-place.ts';

const restMs = 150;
const appsShown = 8;
const ownAppsShown = 5;
const teamsShown = 5;
const options = { keepPreviousData: true, pollMs: 0 };

/** The text once typing rests; an emptied field at once. */
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
      icon: <Mark tone={(active ? revisionLook[status.health] : healthLook.INACTIVE).tone} />,
      href: paths.service({ app: app ?? '', env: env ?? '', service: name }),
    }));
  return { label: 'Services of this app', entries };
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
  const teams = useQuery(teamList, query !== '' && { query: { query, size: teamsShown } }, options);
  const services = useServices(place);
  const teamEntries = (query === '' ? [] : (teams.data?.content ?? [])).map(({ id, displayName }): Entry => ({
    key: `team ${id}`,
    label: displayName,
    words: id,
    note: id,
    icon: <Users aria-hidden="true" />,
    href: paths.team(id),
  }));
  return {
    groups: [
      services,
      { label: query === '' ? 'My apps' : 'Apps', entries: (apps.data?.content ?? []).map(appEntry) },
      { label: 'Teams', entries: teamEntries },
    ],
    isSearching: query !== text || apps.isValidating || teams.isValidating,
    hasFailed: [apps, teams].some(({ error, data }) => error !== undefined && (data === undefined || query !== '')),
  };
};
