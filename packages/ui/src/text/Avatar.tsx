// A person or machine as a small disc or square: the photo if there is one, otherwise initials. The name is always next to it or labels its
// control.
import { useState } from 'react';
import css from './Avatar.module.css';
import { classNames } from '../class-names.ts';

export interface AvatarProps {
  name: string;
  photo?: string | null;
  size?: 'md' | 'lg';
  isMachine?: boolean;
}

/** First letters of the first and last word, or the first two letters of a single word. */
export function initialsOf(name: string): string {
  const words = name
    .trim()
    .split(/[\s._-]+/)
    .filter(Boolean);
  const first = words[0] ?? '';
  const last = words.length > 1 ? (words.at(-1) ?? '') : '';
  const letters = last === '' ? [...first].slice(0, 2) : [[...first][0], [...last][0]];
  return letters.join('').toLocaleUpperCase('en');
}

export function Avatar({ name, photo, size = 'md', isMachine = false }: AvatarProps) {
  const [brokenPhoto, setBrokenPhoto] = useState<string>();
  const isPhoto = photo && photo !== brokenPhoto;
  // Initials are generated content instead of text, so they do not count as the visible label of a surrounding button.
  return (
    <span
      className={classNames(css.avatar, size === 'lg' && css.lg, isMachine && css.machine)}
      aria-hidden="true"
      data-initials={isPhoto ? undefined : initialsOf(name)}
    >
      {isPhoto && <img src={photo} alt="" onError={() => setBrokenPhoto(photo)} />}
    </span>
  );
}
