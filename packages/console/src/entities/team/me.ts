/** The signed-in user: identity, teams and photo, loaded once (specification §7). */
import { mePhoto, meView, type Me } from '@slipway/contract/identity.ts';
import { teamList, type Team } from '@slipway/contract/team.ts';
import useSWR, { mutate } from 'swr';
import { send2xx } from '#kit/api/call.ts';
import { isStatus } from '#kit/api/errors.ts';
import { q, useQuery, type QueryResult } from '#kit/api/query.ts';

/** Smaller answers are the directory's placeholder, not a photo (specification §2). */
const smallestPhotoBytes = 500;
const teamPageSize = 100;

export const useMe = (): QueryResult<typeof meView> => useQuery(meView, {}, { pollMs: 0 });

export const useMyTeams = (me: Me | undefined): QueryResult<typeof teamList> =>
  useQuery(teamList, me && { query: { identityId: me.id, page: 0, size: teamPageSize } }, { pollMs: 0 });

/** Returns the user's teams; empty until they are loaded. */
export const useMyTeamList = (): readonly Team[] => {
  const { data: me } = useMe();
  return useMyTeams(me).data?.content ?? [];
};

const dataUrlOf = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(typeof reader.result === 'string' ? reader.result : '');
    reader.onerror = () => reject(reader.error ?? new Error('The photo could not be read'));
    reader.readAsDataURL(blob);
  });

/** Remembers for the session that a user has no photo. Otherwise every page would log a failed request. */
const noPhotoKey = 'slipway.noPhoto';

const rememberNoPhoto = (id: string): void => {
  try {
    sessionStorage.setItem(noPhotoKey, id);
  } catch {
    // Storage can be blocked: the next page then asks again.
  }
};

const isKnownMissing = (id: string): boolean => {
  try {
    return sessionStorage.getItem(noPhotoKey) === id;
  } catch {
    return false;
  }
};

/** Shows a photo that was just stored, as a data URL. */
export const showPhoto = (photo: string | null): Promise<unknown> => {
  rememberNoPhoto('');
  return mutate(q(mePhoto, {}), photo, { revalidate: false });
};

const readPhoto = async (id: string): Promise<string | null> => {
  if (isKnownMissing(id)) return null;
  const response = await send2xx(mePhoto, {}).catch((error: unknown) => {
    if (isStatus(error, 404)) rememberNoPhoto(id);
    throw error;
  });
  const photo = await response.blob();
  // A data URL, because the content security policy blocks blob: images.
  return photo.size > smallestPhotoBytes ? dataUrlOf(photo) : null;
};

/** Returns the photo as a data URL; undefined or null to show initials. */
export const usePhoto = (): string | null | undefined => {
  const { data: me } = useMe();
  const options = { revalidateOnFocus: false, revalidateOnReconnect: false, revalidateIfStale: false, shouldRetryOnError: false };
  return useSWR(me ? q(mePhoto, {}) : null, () => (me ? readPhoto(me.id) : null), options).data;
};
