// Timing of placeholders: not before 150 ms, and then for at least 300 ms, so that fast answers do not flicker.
import type { ReactNode } from 'react';
import { useEffect, useRef, useState } from 'react';
import { VisuallyHidden } from '../layout/VisuallyHidden.tsx';

const SHOW_AFTER_MS = 150;
const KEEP_MS = 300;
/** Specification §9: loading is slow after 3 s, on slow connections after 5 s. */
const SLOW_MS = 3000;
const SLOW_CONNECTION_MS = 5000;

/** `waiting`: loading, nothing to show yet. `shown`: placeholder visible, even if the data has arrived. `ready`: show the data. */
export type LoadingState = 'waiting' | 'shown' | 'ready';

export function useLoadingState(isLoading: boolean): LoadingState {
  const [isShown, setShown] = useState(false);
  const shownAt = useRef(0);
  useEffect(() => {
    if (isLoading === isShown) return;
    const wait = isLoading ? SHOW_AFTER_MS : Math.max(0, KEEP_MS - (performance.now() - shownAt.current));
    const timer = setTimeout(() => {
      shownAt.current = performance.now();
      setShown(isLoading);
    }, wait);
    return () => clearTimeout(timer);
  }, [isLoading, isShown]);
  if (isShown) return 'shown';
  return isLoading ? 'waiting' : 'ready';
}

/** Network Information API, which only some browsers have. */
const isSlowConnection = (): boolean => {
  const { connection } = navigator as { connection?: { effectiveType?: string; saveData?: boolean } };
  return connection !== undefined && (connection.saveData === true || ['slow-2g', '2g'].includes(connection.effectiveType ?? ''));
};

/** Says that loading takes longer than usual. Mount it while loading. */
export function SlowNote() {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), isSlowConnection() ? SLOW_CONNECTION_MS : SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <span className="quiet dense" role="status">
      {isSlow && 'Still loading. This takes longer than usual.'}
    </span>
  );
}

export interface LoadingProps {
  isLoading: boolean;
  /** Boxes with the final size of the content. */
  skeleton: ReactNode;
  /** Announced to screen readers while the skeleton is visible. */
  label?: string;
  children: ReactNode;
}

export function Loading({ isLoading, skeleton, label = 'Loading', children }: LoadingProps) {
  const state = useLoadingState(isLoading);
  if (state === 'ready') return children;
  return (
    <div aria-busy="true">
      <div style={{ visibility: state === 'shown' ? 'visible' : 'hidden' }}>{skeleton}</div>
      <SlowNote />
      {state === 'shown' && <VisuallyHidden role="status">{label}</VisuallyHidden>}
    </div>
  );
}
