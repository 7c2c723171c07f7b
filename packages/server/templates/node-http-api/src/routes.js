// The API: one entry per operation. The router, the OpenAPI document and the page at / all read this list.
import { readBerth } from './berths.js';
import { Problem } from './problem.js';

const found = (berth, id) => {
  if (berth === undefined) throw new Problem(404, `There is no berth ${id}`);
  return berth;
};

const minLength = (query) => {
  const text = query.get('minLengthMetres');
  if (text === null) return {};
  const minLengthMetres = Number(text);
  if (text.trim() !== '' && minLengthMetres >= 0) return { minLengthMetres };
  throw new Problem(400, 'The query is not valid', { errors: [{ field: 'minLengthMetres', message: 'must be a number from 0' }] });
};

/** `run` gets { params, query, body, store } and answers { status, body, headers }. */
export const routes = [
  {
    method: 'GET',
    path: '/berths',
    id: 'berthList',
    summary: 'List the berths; minLengthMetres in the query leaves out the short ones',
    run: ({ query, store }) => ({ status: 200, body: { berths: store.list(minLength(query)) } }),
  },
  {
    method: 'POST',
    path: '/berths',
    id: 'berthCreate',
    summary: 'Add a berth',
    run: ({ body, store }) => {
      const berth = store.create(readBerth(body));
      return { status: 201, body: berth, headers: { location: `/berths/${berth.id}` } };
    },
  },
  {
    method: 'GET',
    path: '/berths/{id}',
    id: 'berthView',
    summary: 'Read one berth',
    run: ({ params, store }) => ({ status: 200, body: found(store.get(params.id), params.id) }),
  },
  {
    method: 'DELETE',
    path: '/berths/{id}',
    id: 'berthDelete',
    summary: 'Remove a berth',
    run: ({ params, store }) => {
      if (!store.delete(params.id)) found(undefined, params.id);
      return { status: 204 };
    },
  },
];

/** { id } for `/berths/{id}` and `/berths/7`; undefined when the path is another one. */
const match = (pattern, path) => {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const params = {};
  for (const [index, part] of wanted.entries()) {
    if (part.startsWith('{') && given[index] !== '') params[part.slice(1, -1)] = decodeURIComponent(given[index]);
    else if (part !== given[index]) return undefined;
  }
  return params;
};

/** The route for a request, or the problem: 404 for an unknown path, 405 for a path that has other methods. */
export const findRoute = (method, path) => {
  const atPath = routes.flatMap((route) => {
    const params = match(route.path, path);
    return params === undefined ? [] : [{ route, params }];
  });
  const asked = method === 'HEAD' ? 'GET' : method;
  const hit = atPath.find(({ route }) => route.method === asked);
  if (hit !== undefined) return hit;
  if (atPath.length === 0) throw new Problem(404, `There is nothing at ${path}`);
  const allow = atPath.map(({ route }) => route.method).join(', ');
  throw new Problem(405, `${method} is not possible at ${path}`, { headers: { allow } });
};
