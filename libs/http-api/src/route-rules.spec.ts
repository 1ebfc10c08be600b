import { Controller, Get, Post, type Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { Endpoint, OperatorEndpoint } from './endpoint';
import { PublicRoute } from './route-rules';
import { startTestApp } from './testing/test-app';

const basics = {
  method: 'GET',
  tag: 'Things',
  operationId: 'things.list',
  summary: 'Read',
  response: { status: 200, description: 'Done.' },
} as const;

@Controller()
class PlainOperatorRoute {
  @Get('/operator/v1/things')
  read(): object {
    return {};
  }
}

@Controller()
class PlainRoute {
  @Post('/api/v1/things')
  create(): object {
    return {};
  }
}

@Controller()
class OperatorRouteForKeys {
  @Endpoint({ ...basics, path: '/operator/v1/things', scope: 'balance:read' })
  async read(): Promise<object> {
    return {};
  }
}

@Controller()
class PublicPathForOperators {
  @OperatorEndpoint({ ...basics, path: '/api/v1/things', role: 'viewer' })
  async read(): Promise<object> {
    return {};
  }
}

@Controller('operator')
class PrefixedRoute {
  @Endpoint({ ...basics, path: '/v1/things', scope: 'balance:read' })
  async read(): Promise<object> {
    return {};
  }
}

@Controller()
class RawRoute {
  @RouteConfig({ rawBody: true })
  @Post('/operator/v1/things')
  create(): object {
    return {};
  }
}

@Controller()
class DeclaredRoute {
  @Get('/things')
  @PublicRoute()
  read(): object {
    return { read: true };
  }
}

describe('An application', () => {
  it.each<[Type, string]>([
    [
      PlainOperatorRoute,
      'GET /operator/v1/things has no authorization. Declare it with @Endpoint or @OperatorEndpoint',
    ],
    [PlainRoute, 'POST /api/v1/things has no authorization'],
    [RawRoute, 'POST /operator/v1/things has no authorization'],
    [OperatorRouteForKeys, 'GET /operator/v1/things has the wrong decorator'],
    [PublicPathForOperators, 'GET /api/v1/things has the wrong decorator'],
    [PrefixedRoute, 'GET /operator/v1/things is declared as /v1/things'],
  ])('with %p does not start', async (controller, message) => {
    await expect(startTestApp({ controllers: [controller] })).rejects.toThrow(message);
  });

  it('serves a route that is declared public', async () => {
    const { app } = await startTestApp({ controllers: [DeclaredRoute] });
    expect((await app.inject({ url: '/things' })).json()).toEqual({ read: true });
    await app.close();
  });
});
