import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Metrics } from './metrics';

@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  async read(@Res() reply: FastifyReply): Promise<void> {
    await reply.type('text/plain; version=0.0.4; charset=utf-8').send(await this.metrics.render());
  }
}
