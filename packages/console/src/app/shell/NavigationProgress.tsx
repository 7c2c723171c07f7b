/** A progress line at the top while the next page's code loads, so that a click on a link has a visible effect. */
import { useEffect, useState } from 'react';
import { useNavigation } from 'react-router';
import css from './NavigationProgress.module.css';

const showAfterMs = 150;

export function NavigationProgress() {
  const isLoading = useNavigation().state !== 'idle';
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(isLoading), isLoading ? showAfterMs : 0);
    return () => clearTimeout(timer);
  }, [isLoading]);
  return (
    <div role="status" className={css.place}>
      {isShown && (
        <>
          <span className={css.line} />
          <span className="sr">Loading the page</span>
        </>
      )}
    </div>
  );
}
