import { PublicRoute } from '@florin/http-api';
import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Health } from './health';
import { Metrics } from './metrics';

@Controller()
export class MonitoringController {
  constructor(
    private readonly health: Health,
    private readonly metrics: Metrics,
  ) {}

  @Get('health/live')
  @PublicRoute()
  live(): { status: 'live' } {
    return { status: 'live' };
  }

  @Get('health/ready')
  @PublicRoute()
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const { ready, checks } = await this.health.readiness();
    await reply.status(ready ? 200 : 503).send({ status: ready ? 'ready' : 'unavailable', checks });
  }

  @Get('metrics')
  @PublicRoute()
  async read(@Res() reply: FastifyReply): Promise<void> {
    await reply.type('text/plain; version=0.0.4; charset=utf-8').send(await this.metrics.render());
  }
}
