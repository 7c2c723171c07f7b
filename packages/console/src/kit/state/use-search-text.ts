/** Text of a search field: at once on screen, in the address after a short rest. */
import { useEffect, useEffectEvent, useState } from 'react';

const restMs = 200;

export const useSearchText = (value: string, commit: (text: string) => void): [text: string, setText: (text: string) => void] => {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  // Back, a link or "Clear the filter" changed the address: the field follows.
  if (value !== known) {
    setKnown(value);
    if (value !== text.trim()) setText(value);
  }
  const rest = useEffectEvent(commit);
  useEffect(() => {
    const next = text.trim();
    if (next === value) return;
    const timer = setTimeout(() => rest(next), next === '' ? 0 : restMs);
    return () => clearTimeout(timer);
  }, [text, value]);
  return [text, setText];
};
