/** The naming rules of a database, and whether this name is free in the environment. */
import { databaseList, DatabaseName } from '@slipway/contract/database/database.ts';
import type { AppRef } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { Availability, useIsRested } from '#kit/form/Availability.tsx';

/** Queries the list, because it also answers if there is no match. A request for the database itself would fail with an error. */
const useNameCheck = ({ app, env }: AppRef, name: string): 'free' | 'taken' | undefined => {
  const isReady = useIsRested(`${env}/${name}`) && DatabaseName.safeParse(name).success;
  const { data } = useQuery(databaseList, isReady && { params: { app, env }, query: { query: name, size: 100 } }, { pollMs: 0 });
  if (!isReady || !data) return undefined;
  return data.content.some((database) => database.name === name) ? 'taken' : 'free';
};

export function DatabaseNameHint({ place, name }: { place: AppRef; name: string }) {
  const check = useNameCheck(place, name);
  return (
    <>
      Cannot be changed later. <Availability name={name} check={check} />
    </>
  );
}
