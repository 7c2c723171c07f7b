/** Behavior that every directory adapter must have. */
import { expect, test } from 'vitest';
import type { Directory, DirectoryPerson } from './directory.ts';

/** `known` returns two people that the directory contains. */
export const directorySuite = (open: () => { readonly directory: Directory; readonly known: readonly DirectoryPerson[] }): void => {
  test('knows who is active and who left, and says nothing about strangers', async () => {
    const { directory, known } = open();
    const [first, second] = known;
    const stranger = { id: 'nobody-knows', subject: null, email: null };
    const standings = async () => Object.fromEntries(await directory.standings([...known, stranger]));
    expect(await standings()).toEqual({ [first?.id ?? '']: 'active', [second?.id ?? '']: 'active' });
    expect(await directory.setActive(first?.id ?? '', false)).toBe(true);
    expect(await directory.setActive(first?.id ?? '', false)).toBe(true);
    expect(await standings()).toEqual({ [first?.id ?? '']: 'left', [second?.id ?? '']: 'active' });
    expect(await directory.setActive(first?.id ?? '', true)).toBe(true);
    expect(await standings()).toMatchObject({ [first?.id ?? '']: 'active' });
    expect(await directory.setActive(stranger.id, false)).toBe(false);
    expect(await directory.standings([])).toEqual(new Map());
  });
};
