/** Shows beside a field whether the typed name is free. The server checks again when the form is sent. */
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { useEffect, useState } from 'react';
import css from './Availability.module.css';

const restMs = 300;

/** Debounce: returns true once the user stopped typing, so that a name is checked once, not letter by letter. */
export const useIsRested = (text: string): boolean => {
  const [rested, setRested] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), restMs);
    return () => clearTimeout(timer);
  }, [text]);
  return rested === text;
};

export function Availability({ name, check }: { name: string; check: 'free' | 'taken' | undefined }) {
  return (
    <span role="status" className={css.said}>
      {check === 'free' && (
        <Status tone="ok" isTinted>
          {name} is free
        </Status>
      )}
      {check === 'taken' && <Status tone="warn">{name} is taken</Status>}
    </span>
  );
}
